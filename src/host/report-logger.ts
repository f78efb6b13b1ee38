// Writes the reports of the running service to the log. Errors and, with an access log, finished requests are written one by one.
// Refusals, closed connections and failed accepts are counted, so that no client can fill the log: each kind has one summary a minute.
import type { Fields, Log } from './log.ts';

/** Writes reports to `log`, and finished requests to `accessLog`, if there is one. */
export function createReportLogger(log: Log, accessLog?: Log) {
  const refusals = createSummary((byReason) =>
    log('warn', 'Requests were refused, or connections ended early, in the last minute.', { byReason }));
  const drops = createSummary((byReason) =>
    log('warn', 'Connections were closed in the last minute, because there were too many of them.', { byReason }));
  const acceptFailures = createSummary((byCode) => log('warn', 'Connections could not be accepted in the last minute.', { byCode }));
  return {
    // As `Reports` in server/reports.ts says:
    failed: (error: unknown, traceId: string) =>
      log('error', 'Unhandled exception occurred while processing the request.', { traceId, error }),
    refused: refusals.count,
    ended: refusals.count,
    dropped: drops.count,
    finished: accessLog && ((request: Fields) => accessLog('info', 'Request', request)),
    /** A connection could not be accepted, for example because the process has no file descriptor left for it. */
    acceptFailed: (error: unknown) => acceptFailures.count(error instanceof Error && 'code' in error ? String(error.code) : String(error)),
    /** Logs at once all counts that have not been logged yet. */
    summarize: () => [refusals, drops, acceptFailures].forEach(({ summarize }) => summarize()),
  };
}

const MINUTE_MS = 60_000;

type Counts = Readonly<Record<string, number>>;

/** Counts by key. The first count starts a minute; at its end `write` is called once with all counts of that minute. */
function createSummary(write: (counts: Counts) => void) {
  let counts: Record<string, number> = {};
  let timer: NodeJS.Timeout | undefined;

  function summarize(): void {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    const counted = counts;
    counts = {};
    write(counted);
  }

  function count(key: string | number): void {
    counts[key] = (counts[key] ?? 0) + 1;
    timer ??= setTimeout(summarize, MINUTE_MS).unref();
  }

  return { count, summarize };
}
