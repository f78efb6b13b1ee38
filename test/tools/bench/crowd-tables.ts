// The tables of `--crowd`, and the figures in them that have a bound.
import type { Beside } from './beside.ts';
import { CROWD_BOUNDS, judge, MEMORY_BOUND, type Verdict } from './bounds.ts';
import type { Crowd } from './crowds.ts';
import { ADDRESSES, ALL, REQUESTS, WAYS, type HonestKind, type Waits } from './honest.ts';
import { table } from './tables.ts';

/** How honest clients of a server went beside a crowd. */
export type CrowdOutcome = Beside & { readonly name: string; readonly crowd: Crowd; readonly server: string };

/** How long honest clients wait: a row for each crowd, address, request and server, with the median of each way to connect. */
export function waitsByKindTable(outcomes: readonly CrowdOutcome[]): string {
  const ways = WAYS.map(({ way }) => way);
  const rows = outcomes.flatMap((outcome) => ADDRESSES.flatMap((address) => Array.from(REQUESTS.keys(), (request) => {
    const medians = ways.map((way) => waitsOf(outcome, { address, request, way }).median);
    const { requests, failed, p95, worst } = waitsOf(outcome, { address, request });
    const times = [...medians, p95, worst].map((ms) => ms.toFixed(1));
    return [outcome.name, outcome.server, address, request, ...times, String(requests), String(failed)];
  })));
  return table([['crowd', 'server', 'address', 'request', ...ways, 'p95', 'worst', 'requests', 'failed'], ...rows], 4);
}

/** What the crowds did, and the memory of the server. */
export function crowdsTable(outcomes: readonly CrowdOutcome[]): string {
  const rows = outcomes.map(({ name, server, crowd: { groups, heap }, rate, peak, lives }) => {
    const clients = groups.map((group) => `${group.clients} ${group.attack}`).join(' + ');
    return [name, server, clients, heap, rate.toFixed(0), peak.toFixed(0), lives ? 'yes' : 'no'];
  });
  return table([['crowd', 'server', 'clients', 'heap', 'replies/s', 'peak MiB', 'lives'], ...rows], 4);
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
