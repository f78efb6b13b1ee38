// What the service says of itself while it runs: each error at once, and what clients can cause at will in
// one summary a minute, so that nobody can fill the log with it.
import type { Fields, Log } from './log.ts';

export type Reports = {
  /** An error thrown on the way to a reply; the trace id is in the reply, too. */
  readonly failed: (error: unknown, traceId: string) => void;
  /** An illegal request, and the status that it was refused with. */
  readonly refused: (status: number) => void;
  /** A connection that was closed: it was idle the longest, or none was idle, or too many replies were unread. */
  readonly dropped: (reason: 'idle' | 'full' | 'unread') => void;
  /** A request that is over, for the access log; undefined when there is none. */
  readonly finished: ((request: Fields) => void) | undefined;
  /** An error of a listener, or the system's refusal of a descriptor. */
  readonly notAccepted: (error: unknown) => void;
  /** Logs what has been counted and not been logged yet. */
  readonly summarize: () => void;
};

/** Reports to `log`, and of each request to `accessLog`, if there is one. */
export function createReports(log: Log, accessLog?: Log): Reports {
  const refusals = createSummary((byStatus) => log('warn', 'Illegal requests were refused in the last minute.', { byStatus }));
  const drops = createSummary((byReason) => log('warn', 'Connections were closed in the last minute, because there were too many or their replies were not read.', { byReason }));
  const failures = createSummary((byCode) => log('warn', 'Connections could not be accepted in the last minute.', { byCode }));
  return {
    failed: (error, traceId) => log('error', 'Unhandled exception occurred while processing the request.', { traceId, error }),
    refused: refusals.count,
    dropped: drops.count,
    finished: accessLog && ((request) => accessLog('info', 'Request', request)),
    notAccepted: (error) => failures.count(error instanceof Error && 'code' in error ? String(error.code) : String(error)),
    summarize: () => {
      for (const { summarize } of [refusals, drops, failures]) summarize();
    },
  };
}

const MINUTE_MS = 60_000;

type Counts = Readonly<Record<string, number>>;

/** Counts by key. The first count starts a minute that ends with one call of `write`. */
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
