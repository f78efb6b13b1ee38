// Illegal requests are the clients' doing: they are counted, and told of once a minute at most, so that
// nobody can fill the log with them.
import type { Log } from './log.ts';

const MINUTE_MS = 60_000;

/** Counts each status it is called with; the first one starts a minute that ends with a line in the log. */
export function summarizeRefusals(log: Log): (status: number) => void {
  let counts: Record<number, number> | undefined;

  function summarize(): void {
    log('warn', 'Illegal requests were refused in the last minute.', { byStatus: counts });
    counts = undefined;
  }

  return (status) => {
    if (counts === undefined) {
      counts = {};
      setTimeout(summarize, MINUTE_MS).unref();
    }
    counts[status] = (counts[status] ?? 0) + 1;
  };
}
