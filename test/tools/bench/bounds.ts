// The bounds of the service's figures, each as a part of the floor's figure in the same run. They hold for Node 24.
// CPU is the CPU time for a request. Latency and memory are those of all requests of a kind.
export const BOUNDS: ReadonlyMap<string, number> = new Map([
  ['CPU, Host only, /health', 0.96],
  ['CPU, Host only, /api/greetings', 1.02],
  ['CPU, Host only, /api/greetings?name=Ada%20Lovelace', 1.12],
  ['CPU, Host only, /api/greetings?name=', 1.08],
  ['CPU, Host only, /nope', 0.92],
  ['CPU, browser, /health', 0.90],
  ['CPU, browser, /api/greetings', 0.98],
  ['CPU, browser, /api/greetings?name=Ada%20Lovelace', 1.02],
  ['CPU, browser, /api/greetings?name=', 1.00],
  ['CPU, browser, /nope', 0.86],
  ['CPU, access log, /api/greetings', 1.15],
  ['p99 latency, Host only', 1.8],
  ['p99 latency, browser', 1.8],
  ['memory, Host only', 1.4],
  ['memory, browser', 1.4],
  ['start', 0.80],
]);
const TOLERANCE = 0.10; // between two runs, a figure may differ by nearly as much

export type Verdict = {
  readonly figure: string;
  readonly measured: number;
  readonly bound: number;
  /** The figure is above its bound by more than the tolerance, or has not been measured. */
  readonly isTooHigh: boolean;
};

/** Compares the figures, by name, with their bounds. Figures are rounded as they are printed: to 0.01. */
export function judge(figures: ReadonlyMap<string, number>, bounds: ReadonlyMap<string, number>): Verdict[] {
  return Array.from(bounds, ([figure, bound]) => {
    const measured = figures.get(figure) ?? Number.NaN;
    const isWithin = Math.round(measured * 100) <= Math.round((bound + TOLERANCE) * 100);
    return { figure, measured, bound, isTooHigh: !isWithin };
  });
}
