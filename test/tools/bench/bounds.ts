// The bounds of the service's figures.
import type { HonestKind } from './honest.ts';

/**
 * Of the comparison, each as a part of the baseline's figure in the same run. They hold for Node 24. CPU is the CPU time for a request,
 * memory that after all requests with such a head.
 */
export const BOUNDS: ReadonlyMap<string, number> = new Map([
  ['CPU, Host only, /health', 0.86],
  ['CPU, Host only, /api/greetings', 0.88],
  ['CPU, Host only, /api/greetings?name=Ada%20Lovelace', 0.98],
  ['CPU, Host only, /api/greetings?name=', 1.00],
  ['CPU, Host only, /nope', 0.82],
  ['CPU, browser, /health', 0.80],
  ['CPU, browser, /api/greetings', 0.86],
  ['CPU, browser, /api/greetings?name=Ada%20Lovelace', 0.92],
  ['CPU, browser, /api/greetings?name=', 0.96],
  ['CPU, browser, /nope', 0.80],
  ['memory, Host only', 1],
  ['memory, browser', 1],
  ['start', 0.80],
]);
/** How much more than its bound a figure of the comparison may be. Between two runs, it may differ by nearly as much. */
export const TOLERANCE = 0.10;

/** Of some honest clients during an attack or a crowd: those of this kind. Waits are in milliseconds. */
type WaitBound = { readonly of: Partial<HonestKind>; readonly bounds: ReadonlyMap<string, number> };

const waits = (median: number, worst = Infinity) => new Map([['failed', 0], ['median ms', median], ['worst ms', worst]]);
// An honest client is then one of 901 who take turns, several for 64 KiB.
const OTHERS_BESIDE_ADDRESSES: readonly WaitBound[] = [
  { of: { address: 'other', request: 'short' }, bounds: waits(250) },
  { of: { address: 'other', request: '10 KB head' }, bounds: waits(250) },
  { of: { address: 'other', request: '64 KiB content' }, bounds: waits(900) },
];

/** By what the others are like. All honest clients that share an address are one client of 901. */
export const WAIT_BOUNDS = {
  attack: [{ of: {}, bounds: waits(15, 250) }],
  'one address': [{ of: { address: 'same' }, bounds: waits(300, 700) }, { of: { address: 'other' }, bounds: waits(25, 250) }],
  'an address each': OTHERS_BESIDE_ADDRESSES,
  'an address each, short work': [
    ...OTHERS_BESIDE_ADDRESSES, { of: { address: 'same', request: 'short', way: 'TCP' }, bounds: new Map([['median ms', 300]]) },
  ],
  // New connections are accepted in the order in which they come, whoever opens them.
  handshakes: [{ of: {}, bounds: waits(150) }],
  memory: [],
} satisfies Readonly<Record<string, readonly WaitBound[]>>;

export type Verdict = ReturnType<typeof judge>[number];

/**
 * Compares the figures, by name, with their bounds. One is too high when it is above its bound by more than the tolerance, or has not been
 * measured. Figures are rounded as they are printed: to 0.01. `of` is put before the names.
 */
export function judge(figures: ReadonlyMap<string, number>, bounds: ReadonlyMap<string, number>, of: string, tolerance = 0) {
  return Array.from(bounds, ([name, bound]) => {
    const measured = figures.get(name) ?? Number.NaN;
    const isWithin = Math.round(measured * 100) <= Math.round((bound + tolerance) * 100);
    return { figure: of + name, measured, bound, isTooHigh: !isWithin };
  });
}
