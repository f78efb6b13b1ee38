// Writes the reports of the running service to the log. Errors and, with an access log, finished requests are written one by one.
// Refusals, closed connections and failed accepts are counted, so that no client can fill the log: each kind has at most one line a minute.
import type { Log, LogFields } from './log.ts';

/** Writes reports to `log`, and finished requests to `accessLog`, if there is one. */
export function createReportLogger(log: Log, accessLog?: Log) {
  const summaries: (() => void)[] = [];
  /** Logs at once all counts that have not been logged yet. */
  const summarize = () => summaries.forEach((logAndReset) => logAndReset());
  setInterval(summarize, 60_000).unref();

  /** Returns a function that counts by key. A summary calls `logCounts` with the counts since the previous one, if there are any. */
  function count(logCounts: (counts: object) => void) {
    const counts = new Map<string, number>();
    summaries.push(() => {
      if (counts.size > 0) logCounts(Object.fromEntries(counts));
      counts.clear();
    });
    return (key: string): void => { counts.set(key, (counts.get(key) ?? 0) + 1); };
  }
  const refused = count((byReason) => log('warn', 'Requests were refused, or connections ended early, in the last minute.', { byReason }));
  const acceptFailed = count((byCode) => log('warn', 'Connections could not be accepted in the last minute.', { byCode }));

  return {
    // As `Reports` in server/interface.ts says:
    failed: (error: unknown, traceId: string) =>
      log('error', 'Unhandled exception occurred while processing the request.', { traceId, error }),
    refused,
    ended: refused,
    dropped: count((byReason) =>
      log('warn', 'Connections were closed in the last minute, because there were too many of them.', { byReason })),
    finished: accessLog && ((request: LogFields) => accessLog('info', 'Request', request)),
    /** A connection could not be accepted. */
    acceptFailed: ({ code, message }: NodeJS.ErrnoException) => acceptFailed(code ?? message),
    /** In this second, the process (`EMFILE`) or the machine (`ENFILE`) had no file descriptor left for new connections. */
    descriptorLacking: count((secondsByCode) =>
      log('warn', 'In some seconds of the last minute, no file descriptor was left for new connections.', { secondsByCode })),
    summarize,
  };
}
