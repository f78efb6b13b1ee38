// Writes the reports of the running service to the log. Errors and, with an access log, finished requests are written
// one by one. What any client can cause is counted, so that nobody can fill the log: at most one line a minute each.
import type { Log, LogFields } from './log.ts';

const MAX_PATH = 1_024; // Docker splits lines of 16 KiB: a client could make a line begin where it likes

/** Writes reports, which are those of `Reports` in exchange.ts and failed accepts, to `log`. */
export function createReportLogger(log: Log) {
  const summaries: (() => void)[] = [];
  /** Logs at once all counts that have not been logged yet. */
  const summarize = () => summaries.forEach((logAndReset) => logAndReset());
  setInterval(summarize, 60_000).unref();

  /** Returns a function that counts by key. A summary logs the counts, if there are any. */
  function count(logCounts: (counts: object) => void) {
    const counts = new Map<string, number>();
    summaries.push(() => {
      if (counts.size > 0) logCounts(Object.fromEntries(counts));
      counts.clear();
    });
    return (key: string): void => { counts.set(key, (counts.get(key) ?? 0) + 1); };
  }

  const refused = count((byReason) =>
    log('warn', 'Requests were refused, or connections ended early, in the last minute.', { byReason }));
  const dropped = count((byReason) =>
    log('warn', 'Connections were closed in the last minute, because there were too many of them.', { byReason }));
  const notAccepted = count((byCode) =>
    log('warn', 'Connections could not be accepted in the last minute.', { byCode }));

  return {
    summarize, refused, dropped,
    ended: refused, // in the same summary
    acceptFailed: ({ code, message }: NodeJS.ErrnoException) => notAccepted(code ?? message),
    failed: (error: unknown, request: LogFields & { readonly path?: string | undefined }) =>
      log('error', 'Unhandled exception occurred while processing the request.',
        { ...request, path: cut(request.path), error }),
    finished: (request: LogFields & { readonly path?: string | undefined }) =>
      log('info', 'Request', { ...request, path: cut(request.path) }),
  };
}

const cut = (path: string | undefined) =>
  (path !== undefined && path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path);
