// Writes the reports of the running service to the log. Errors and, with an access log, finished requests are written one by one.
// Refusals, closed connections and failed accepts are counted, so that no client can fill the log: each kind has one line a minute.
import type { Fields, Log } from './log.ts';

/** Writes reports to `log`, and finished requests to `accessLog`, if there is one. */
export function createReportLogger(log: Log, accessLog?: Log) {
  const [refusals, drops, acceptFailures] = [createCounts(), createCounts(), createCounts()];

  /** Logs at once all counts that have not been logged yet. */
  function summarize(): void {
    refusals.take((byReason) => log('warn', 'Requests were refused, or connections ended early, in the last minute.', { byReason }));
    drops.take((byReason) => log('warn', 'Connections were closed in the last minute, because there were too many of them.', { byReason }));
    acceptFailures.take((byCode) => log('warn', 'Connections could not be accepted in the last minute.', { byCode }));
  }
  setInterval(summarize, 60_000).unref();

  return {
    // As `Reports` in server/reports.ts says:
    failed: (error: unknown, traceId: string) =>
      log('error', 'Unhandled exception occurred while processing the request.', { traceId, error }),
    refused: refusals.add,
    ended: refusals.add,
    dropped: drops.add,
    finished: accessLog && ((request: Fields) => accessLog('info', 'Request', request)),
    /** A connection could not be accepted, for example because the process has no file descriptor left for it. */
    acceptFailed: ({ code, message }: NodeJS.ErrnoException) => acceptFailures.add(code ?? message),
    summarize,
  };
}

/** Counts by key. `take` calls `use` with the counts since it was called last, if there are any. */
function createCounts() {
  const counts = new Map<string | number, number>();
  return {
    add: (key: string | number): void => { counts.set(key, (counts.get(key) ?? 0) + 1); },
    take: (use: (counts: object) => void): void => {
      if (counts.size > 0) use(Object.fromEntries(counts));
      counts.clear();
    },
  };
}
