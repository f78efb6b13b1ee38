// The crowds of `--crowd`: clients at work, with nothing but legal requests, and fewer of them than MAX_CONNECTIONS. And their figures.
import type { Beside, Group } from './beside.ts';
import { CROWD_BOUNDS, judge, type Verdict } from './bounds.ts';
import { ADDRESSES, ALL, REQUESTS, WAYS, type HonestKind, type Waits } from './honest.ts';

export type Crowd = {
  readonly groups: readonly Group[];
  /** Which bounds of the waits hold. */
  readonly judged: keyof typeof CROWD_BOUNDS;
  /** How much memory the server may take at most, in MiB. */
  readonly peak: number;
  /** The heap of the server, in MiB. */
  readonly heap: number;
};

/** The crowds, by name. Honest clients are measured at the same time. */
export const CROWDS: ReadonlyMap<string, Crowd> = new Map([
  ['short requests', crowd('one address', 256, ['short', 900])],
  ['chunks', crowd('one address', 256, ['chunks', 900])],
  ['TLS', crowd('one address', 256, ['TLS', 900])],
  ['mix of 450 and 450', crowd('one address', 256, ['short', 450], ['chunks', 450])],
  ['mix of 450 and 500', crowd('one address', 256, ['short', 450], ['chunks', 500])],
  ['few chunks', crowd('one address', 256, ['chunks', 100])],
  ['addresses, short', crowd('an address each, short work', 150, ['short', 900, 900])],
  ['addresses, chunks', crowd('an address each, short work', 150, ['chunks', 900, 900])],
  ['addresses, heads', crowd('an address each', 200, ['heads', 900, 900])],
  ['addresses, 16 KiB', crowd('an address each', 256, ['16 KiB', 900, 900])],
  ['addresses, 64 KB', crowd('an address each', 256, ['64 KB', 900, 900])],
  ['addresses, TLS', crowd('an address each', 256, ['TLS', 900, 900])],
  ['addresses, TLS heads', crowd('an address each', 250, ['TLS heads', 900, 900])],
  ['handshakes', crowd('handshakes', 256, ['handshakes', 900])],
  ['memory', { ...crowd('memory', 256, ['pipelined TLS', 950]), heap: 128 }],
]);

function crowd(
  judged: Crowd['judged'], peak: number, ...groups: readonly (readonly [attack: string, clients: number, addresses?: number])[]
): Crowd {
  return { groups: groups.map(([attack, clients, addresses = 1]) => ({ attack, clients, addresses })), judged, peak, heap: 256 };
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
  const { name, crowd, peak } = outcome;
  return [
    ...judge(new Map([['peak MiB', peak]]), new Map([['peak MiB', crowd.peak]]), 0, `${name}: `),
    ...CROWD_BOUNDS[crowd.judged].flatMap(({ of, bounds }) => {
      const { failed, median, p95, worst } = waitsOf(outcome, of);
      const figures = new Map([['failed', failed], ['median ms', median], ['p95 ms', p95], ['worst ms', worst]]);
      return judge(figures, bounds, 0, `${name}, ${Object.values(of).join(', ')}: `);
    }),
  ];
}

/** The waits of several kinds together: how many, and the highest of their medians, of their 95th percentiles and of their worst. */
function waitsOf({ waits }: CrowdOutcome, { address, request, way }: Partial<HonestKind>): Waits {
  const wanted = waits.filter((_, i) => {
    const kind = ALL.kinds[i];
    return (address ?? kind?.address) === kind?.address && (request ?? kind?.request) === kind?.request && (way ?? kind?.way) === kind?.way;
  });
  const sum = (figure: 'requests' | 'failed') => wanted.reduce((total, one) => total + one[figure], 0);
  const highest = (figure: 'median' | 'p95' | 'worst') => Math.max(...wanted.map((one) => one[figure]));
  return { requests: sum('requests'), failed: sum('failed'), median: highest('median'), p95: highest('p95'), worst: highest('worst') };
}
