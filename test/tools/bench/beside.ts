// Measures how long honest clients wait while others attack, or are at work. All connections are on the loopback interface.
import { once } from 'node:events';
import type { Environment } from '../../support/process.ts';
import { residentMemory } from '../../support/usage.ts';
import { WORK } from './attacks.ts';
import { judge, WAIT_BOUNDS, type Verdict } from './bounds.ts';
import type { Crowd, Group } from './crowds.ts';
import { measureHonest, WAYS, type HonestKind, type Waits } from './honest.ts';
import { startOnLoadCpu, startServer, type Server, type Servers } from './processes.ts';
import { table } from './tables.ts';

const SAMPLE_INTERVAL_MS = 20; // of the memory

/** How honest clients of a server fared. `waits`: those of each kind, in the order of the set. */
export type Outcome = { readonly name: string; readonly crowd: Crowd; readonly waits: readonly Waits[]; readonly peak: number };

/** Measures the servers beside each of these crowds for `seconds`, and prints the figures. Returns those of the service with a bound. */
export async function printWaits(
  servers: Servers, crowds: ReadonlyMap<string, Crowd>, env: Environment, seconds: number,
): Promise<Verdict[]> {
  const rows: string[][] = [], others: string[][] = [];
  const verdicts: Verdict[] = [];
  for (const [name, crowd] of crowds) {
    for (const [server, script] of servers) {
      const started = await startServer(script, { MAX_CONNECTIONS: '3000', ...env }, [`--max-heap-size=${crowd.heap}`]);
      const { waits, peak, rate, lives } = await measureBeside(started, crowd, seconds);
      await started.stop();
      const outcome = { name, crowd, waits, peak };
      rows.push(...rowsOf(outcome).map((row) => [name, server, ...row]));
      others.push([name, server, `${crowd.heap} MiB`, rate.toFixed(0), peak.toFixed(0), lives ? 'yes' : 'no']);
      if (server === 'service') verdicts.push(...judgeWaits(outcome));
    }
  }
  if (rows.length === 0) return [];
  console.log(`Median waits in ms of honest clients, ${seconds} s for each server\n`);
  console.log(table([['beside', 'server', 'address', 'request', ...WAYS, 'p95', 'worst', 'requests', 'failed'], ...rows], 4));
  console.log(table([['beside', 'server', 'heap', 'replies/s', 'peak MiB', 'lives'], ...others], 3));
  return verdicts;
}

/** Starts a process for each group, and resolves when all clients are connected. */
export async function startAttackers({ port, tlsPort }: Server, groups: readonly Group[]) {
  const processes = groups.map(([work, clients, addresses = 1]) => {
    const isTls = WORK.get(work)?.isTls === true;
    return startOnLoadCpu(`${import.meta.dirname}/attackers.js`, [isTls ? tlsPort : port, work, clients, addresses]);
  });
  const messages = () => Promise.all(processes.map((child) => Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => { throw new Error('The attackers have ended.'); }),
  ])));
  const tell = () => processes.forEach((child) => child.send('go on'));
  await messages();
  return {
    attack: tell,
    /** How many replies, or handshakes, there have been. */
    async count(): Promise<number> {
      const counts = messages();
      tell();
      return (await counts).reduce((sum, [count]) => sum + Number(count), 0);
    },
    stop: () => processes.forEach((child) => child.kill('SIGKILL')),
  };
}

// `rate`: how many replies, or handshakes, the others got in a second. `lives`: the server was there at the end.
async function measureBeside(server: Server, { groups, honest }: Crowd, seconds: number) {
  const attackers = await startAttackers(server, groups);
  let lives = true;
  void server.ended.then(() => { lives = false; });
  let peak = 0;
  const sampling = setInterval(() => { if (lives) peak = Math.max(peak, residentMemory(server.pid)); }, SAMPLE_INTERVAL_MS);
  let begin = 0;
  const waits = await measureHonest(server, honest, seconds, () => {
    attackers.attack();
    begin = performance.now();
  });
  clearInterval(sampling);
  const rate = await attackers.count() / ((performance.now() - begin) / 1000);
  attackers.stop();
  return { waits, rate, peak, lives };
}

// A row for each address and request, with the median of each way to connect.
function rowsOf(outcome: Outcome): string[][] {
  return outcome.crowd.honest.kinds.filter(({ way }) => way === 'TCP').map(({ address, request }) => {
    const medians = WAYS.map((way) => waitsOf(outcome, { address, request, way }).median);
    const { requests, failed, p95, worst } = waitsOf(outcome, { address, request });
    const times = [...medians, p95, worst].map((ms) => (ms === -Infinity ? '' : ms.toFixed(1)));
    return [address, request, ...times, String(requests), String(failed)];
  });
}

/** The figures of an outcome that have a bound. */
export function judgeWaits(outcome: Outcome): Verdict[] {
  const { name, crowd, peak } = outcome;
  return [
    ...judge(new Map([['peak MiB', peak]]), new Map([['peak MiB', crowd.peak]]), 0, `${name}: `),
    ...WAIT_BOUNDS[crowd.judged].flatMap(({ of, bounds }) => {
      const { failed, median, p95, worst } = waitsOf(outcome, of);
      const figures = new Map([['failed', failed], ['median ms', median], ['p95 ms', p95], ['worst ms', worst]]);
      return judge(figures, bounds, 0, `${[name, ...Object.values(of)].join(', ')}: `);
    }),
  ];
}

// The waits of several kinds together: how many, and the highest of their medians, of their 95th percentiles and of their worst.
function waitsOf({ crowd: { honest }, waits }: Outcome, of: Partial<HonestKind>): Waits {
  const wanted = waits.filter((_, i) => Object.values(of).every((value) => Object.values(honest.kinds[i] ?? {}).includes(value)));
  const sum = (figure: 'requests' | 'failed') => wanted.reduce((total, one) => total + one[figure], 0);
  const highest = (figure: 'median' | 'p95' | 'worst') => Math.max(...wanted.map((one) => one[figure]));
  return { requests: sum('requests'), failed: sum('failed'), median: highest('median'), p95: highest('p95'), worst: highest('worst') };
}
