// The crowds of `--crowd`: clients at work, with nothing but legal requests, and fewer of them than MAX_CONNECTIONS. And their figures.
import type { Beside, Group } from './beside.ts';
import { CROWD_BOUNDS, judge, MEMORY_BOUND, type Verdict } from './bounds.ts';
import { ADDRESSES, ALL, REQUESTS, WAYS, type HonestKind, type Waits } from './honest.ts';

export type Crowd = {
  readonly groups: readonly Group[];
  /** Which bounds of the waits hold, in `CROWD_BOUNDS`, or that the memory has one instead. */
  readonly judged: keyof typeof CROWD_BOUNDS | 'memory';
  /** The heap of the server, in MiB. */
  readonly heap: number;
};

/** The crowds, by name. Honest clients are measured at the same time. */
export const CROWDS: ReadonlyMap<string, Crowd> = new Map([
  ['short requests', crowd('one address', ['short', 900])],
  ['chunks', crowd('one address', ['chunks', 900])],
  ['TLS', crowd('one address', ['TLS', 900])],
  ['mix of 450 and 450', crowd('one address', ['short', 450], ['chunks', 450])],
  ['mix of 450 and 500', crowd('one address', ['short', 450], ['chunks', 500])],
  ['few chunks', crowd('one address', ['chunks', 100])],
  ['addresses, short', crowd('an address each', ['short', 900, 900])],
  ['addresses, chunks', crowd('an address each', ['chunks', 900, 900])],
  ['addresses, 16 KiB', crowd('an address each', ['16 KiB', 900, 900])],
  ['addresses, 64 KB', crowd('an address each', ['64 KB', 900, 900])],
  ['addresses, TLS', crowd('an address each', ['TLS', 900, 900])],
  ['handshakes', crowd('handshakes', ['handshakes', 900])],
  ['memory', { ...crowd('memory', ['pipelined TLS', 950]), heap: 128 }],
]);

function crowd(judged: Crowd['judged'], ...groups: readonly (readonly [attack: string, clients: number, addresses?: number])[]): Crowd {
  return { groups: groups.map(([attack, clients, addresses = 1]) => ({ attack, clients, addresses })), judged, heap: 256 };
}

/** How honest clients of a server fared during a crowd. */
export type CrowdOutcome = Beside & { readonly name: string; readonly crowd: Crowd; readonly server: string };

const WAY_NAMES = WAYS.map(({ way }) => way);
export const WAITS_HEADER = ['crowd', 'server', 'address', 'request', ...WAY_NAMES, 'p95', 'worst', 'requests', 'failed'];

/** How long honest clients wait: a row for each address and request, with the median of each way to connect. */
export function waitsRows(outcome: CrowdOutcome): string[][] {
  return ADDRESSES.flatMap((address) => Array.from(REQUESTS.keys(), (request) => {
    const medians = WAY_NAMES.map((way) => waitsOf(outcome, { address, request, way }).median);
    const { requests, failed, p95, worst } = waitsOf(outcome, { address, request });
    const times = [...medians, p95, worst].map((ms) => ms.toFixed(1));
    return [outcome.name, outcome.server, address, request, ...times, String(requests), String(failed)];
  }));
}

/** The figures of an outcome that have a bound. */
export function judgeCrowd(outcome: CrowdOutcome): Verdict[] {
  const { name, crowd: { judged }, peak } = outcome;
  if (judged === 'memory') return judge(new Map([['peak MiB', peak]]), MEMORY_BOUND, 0, `${name}: `);
  return ADDRESSES.flatMap((address) => {
    const { failed, median, p95, worst } = waitsOf(outcome, { address });
    const figures = new Map([['failed', failed], ['median ms', median], ['p95 ms', p95], ['worst ms', worst]]);
    return judge(figures, CROWD_BOUNDS[judged][address], 0, `${name}, ${address} address: `);
  });
}

/** The waits of several kinds together: how many, and the highest of their medians, of their 95th percentiles and of their worst. */
function waitsOf({ waits }: CrowdOutcome, { address, request, way }: Partial<HonestKind>): Waits {
  const wanted = waits.filter((_, i) => {
    const kind = ALL.kinds[i];
    return kind?.address === address && (request ?? kind?.request) === kind?.request && (way ?? kind?.way) === kind?.way;
  });
  const sum = (figure: 'requests' | 'failed') => wanted.reduce((total, one) => total + one[figure], 0);
  const highest = (figure: 'median' | 'p95' | 'worst') => Math.max(...wanted.map((one) => one[figure]));
  return { requests: sum('requests'), failed: sum('failed'), median: highest('median'), p95: highest('p95'), worst: highest('worst') };
}
