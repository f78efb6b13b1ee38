// The bounds of the service's figures.

/**
 * Of the comparison, each as a part of the baseline's figure in the same run. They hold for Node 24. CPU is the CPU time for a request.
 * Latency and memory are those of all requests of a kind.
 */
export const BOUNDS: ReadonlyMap<string, number> = new Map([
  ['CPU, Host only, /health', 0.84],
  ['CPU, Host only, /api/greetings', 0.87],
  ['CPU, Host only, /api/greetings?name=Ada%20Lovelace', 0.95],
  ['CPU, Host only, /api/greetings?name=', 0.97],
  ['CPU, Host only, /nope', 0.75],
  ['CPU, browser, /health', 0.84],
  ['CPU, browser, /api/greetings', 0.85],
  ['CPU, browser, /api/greetings?name=Ada%20Lovelace', 0.91],
  ['CPU, browser, /api/greetings?name=', 0.95],
  ['CPU, browser, /nope', 0.79],
  ['CPU, access log, /api/greetings', 0.98],
  ['p99 latency, Host only', 1.8],
  ['p99 latency, browser', 1.8],
  ['memory, Host only', 1.4],
  ['memory, browser', 1.4],
  ['start', 0.80],
]);
/** How much more than its bound a figure of the comparison may be. Between two runs, it may differ by nearly as much. */
export const TOLERANCE = 0.10;

/** Of a server that is attacked, or at work for a crowd. Waits are in milliseconds, memory is in MiB. */
export const ATTACK_BOUNDS: ReadonlyMap<string, number> = new Map([['failed', 0], ['median ms', 15], ['worst ms', 250], ['peak MiB', 256]]);

const SAME_ADDRESS = new Map([['failed', 0], ['median ms', 150], ['worst ms', 500]]);
const OTHER_ADDRESS = new Map([['failed', 0], ['median ms', 15], ['worst ms', 250]]);

/** Of honest clients during a crowd, which have its address or another one. */
export const CROWD_BOUNDS = {
  'one address': { same: SAME_ADDRESS, other: OTHER_ADDRESS },
  // An honest client is then one of 901 who take turns, several for 64 KiB. All that have the same address are one, and get a 901st part.
  'an address each': { same: new Map<string, number>(), other: new Map([['failed', 0], ['median ms', 400], ['worst ms', 700]]) },
  // New connections are accepted in the order in which they come, whoever opens them.
  handshakes: {
    same: new Map([['failed', 0], ['median ms', 150], ['p95 ms', 500]]),
    other: new Map([['failed', 0], ['p95 ms', 300]]),
  },
} as const;

/** Of a server with a crowd: its memory; requests that got no reply; the CPU time of a new connection when all places are taken. */
export const MEMORY_BOUND: ReadonlyMap<string, number> = new Map([['peak MiB', 256]]);
export const LOSS_BOUND: ReadonlyMap<string, number> = new Map([['lost', 0]]);
export const FULL_HOUSE_BOUND: ReadonlyMap<string, number> = new Map([['CPU ms', 1]]);

export type Verdict = {
  readonly figure: string;
  readonly measured: number;
  readonly bound: number;
  /** The figure is above its bound by more than the tolerance, or has not been measured. */
  readonly isTooHigh: boolean;
};

/** Compares the figures, by name, with their bounds. Figures are rounded as they are printed: to 0.01. `of` is put before the names. */
export function judge(figures: ReadonlyMap<string, number>, bounds: ReadonlyMap<string, number>, tolerance = 0, of = ''): Verdict[] {
  return Array.from(bounds, ([name, bound]) => {
    const measured = figures.get(name) ?? Number.NaN;
    const isWithin = Math.round(measured * 100) <= Math.round((bound + tolerance) * 100);
    return { figure: of + name, measured, bound, isTooHigh: !isWithin };
  });
}
