// The tables of `--crowd`, and the figures in them that have a bound.
import type { Beside, Waits } from './beside.ts';
import { CROWD_BOUNDS, judge, MEMORY_BOUND, type Verdict } from './bounds.ts';
import type { CrowdLoad } from './crowd-loads.ts';
import { ADDRESSES, HONEST_SETS, REQUESTS, WAYS, type HonestKind } from './honest-kinds.ts';
import { table } from './tables.ts';

/** How honest clients of a server went beside a crowd. */
export type CrowdOutcome = Beside & { readonly name: string; readonly load: CrowdLoad; readonly server: string };

/** How long honest clients wait: a row for each crowd, address, request and server, with the median of each way to connect. */
export function waitsByKindTable(outcomes: readonly CrowdOutcome[]): string {
  const rows = outcomes.flatMap((outcome) => ADDRESSES.flatMap((address) => Array.from(REQUESTS.keys(), (request) => {
    const { name, server } = outcome;
    const ofRow = (kind: HonestKind) => kind.address === address && kind.request === request;
    const medians = WAYS.map(({ way }) => waitsOf(outcome, (kind) => ofRow(kind) && kind.way === way).median);
    const { requests, failed, p95, worst } = waitsOf(outcome, ofRow);
    const times = [...medians, p95, worst].map((ms) => ms.toFixed(1));
    return [name, server, address, request, ...times, String(requests), String(failed)];
  })));
  const ways = WAYS.map(({ way }) => way);
  return table([['crowd', 'server', 'address', 'request', ...ways, 'p95', 'worst', 'requests', 'failed'], ...rows], 4);
}

/** What the crowds did, and the memory of the server. */
export function loadsTable(outcomes: readonly CrowdOutcome[]): string {
  const rows = outcomes.map(({ name, server, load: { groups, heap }, rate, peak, lives }) => {
    const clients = groups.map((group) => `${group.clients} ${group.attack}`).join(' + ');
    return [name, server, clients, heap, rate.toFixed(0), peak.toFixed(0), lives ? 'yes' : 'no'];
  });
  return table([['crowd', 'server', 'clients', 'heap', 'replies/s', 'peak MiB', 'lives'], ...rows], 4);
}

/** The figures of an outcome that have a bound. */
export function judgeCrowd(outcome: CrowdOutcome): Verdict[] {
  const { name, load: { judged }, peak } = outcome;
  if (judged === 'memory') return judge(new Map([['peak MiB', peak]]), MEMORY_BOUND, 0, `${name}: `);
  return ADDRESSES.flatMap((address) => {
    const { failed, median, p95, worst } = waitsOf(outcome, (kind) => kind.address === address);
    const figures = new Map([['failed', failed], ['median ms', median], ['p95 ms', p95], ['worst ms', worst]]);
    return judge(figures, CROWD_BOUNDS[judged][address], 0, `${name}, ${address} address: `);
  });
}

/** The waits of several kinds together: how many, and the highest of their medians, of their 95th percentiles and of their worst. */
function waitsOf({ waits }: CrowdOutcome, isWanted: (kind: HonestKind) => boolean): Waits {
  const kinds = HONEST_SETS.get('all')?.kinds ?? [];
  const wanted = waits.filter((_, i) => { const kind = kinds[i]; return kind !== undefined && isWanted(kind); });
  const sum = (figure: 'requests' | 'failed') => wanted.reduce((total, one) => total + one[figure], 0);
  const highest = (figure: 'median' | 'p95' | 'worst') => Math.max(...wanted.map((one) => one[figure]));
  return { requests: sum('requests'), failed: sum('failed'), median: highest('median'), p95: highest('p95'), worst: highest('worst') };
}
