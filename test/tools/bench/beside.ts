// Measures how long honest clients wait while others attack, or are at work. All connections are on the loopback interface.
import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import type { Environment } from '../../support/process.ts';
import { residentMemory } from '../../support/usage.ts';
import { WORK } from './attacks.ts';
import { judge, WAIT_BOUNDS, type Verdict } from './bounds.ts';
import type { Crowd } from './crowds.ts';
import { measureHonest, type HonestKind, type Waits } from './honest.ts';
import { startOnLoadCpu, startServer, type Server, type Servers } from './processes.ts';
import { table } from './tables.ts';

/** Measures the servers beside each of these crowds for `seconds`, and prints the figures. Returns those of the service with a bound. */
export async function printWaits(
  servers: Servers, crowds: ReadonlyMap<string, Crowd>, env: Environment, seconds: number,
): Promise<Verdict[]> {
  const rows: string[][] = [];
  const verdicts: Verdict[] = [];
  for (const [name, crowd] of crowds) {
    for (const [server, script] of servers) {
      const started = await startServer(script, { MAX_CONNECTIONS: '3000', ...env }, [`--max-heap-size=${crowd.heap}`]);
      const { waits, rate, peak } = await measureBeside(started, crowd, seconds);
      await started.stop();
      rows.push(...rowsOf(waits).map((row) => [name, server, ...row, rate.toFixed(0), peak.toFixed(0)]));
      if (server === 'service') verdicts.push(...judgeWaits(name, crowd, waits, peak));
    }
  }
  if (rows.length === 0) return [];
  console.log(`Waits in ms of honest clients, ${seconds} s for each server\n`);
  const headings = ['beside', 'server', 'address', 'request', 'median', 'worst', 'requests', 'failed', 'replies/s', 'peak MiB'];
  console.log(table([headings, ...rows], 4));
  return verdicts;
}

// `rate`: how many replies, or handshakes, the others got in a second. `peak`: the most memory of the server, if it still lives.
async function measureBeside(server: Server, { work, clients, addresses, honest }: Crowd, seconds: number) {
  const attack = WORK.get(work);
  const port = attack?.isTls === true || attack?.isToTlsPort === true ? server.tlsPort : server.port;
  const attackers = startOnLoadCpu(`${import.meta.dirname}/attackers.js`, [port, work, clients, addresses]);
  const message = () => Promise.race([
    once(attackers, 'message'),
    once(attackers, 'exit').then(() => { throw new Error('The attackers have ended.'); }),
  ]);
  await message();
  let begin = 0;
  const waits = await measureHonest(server, honest, seconds, () => {
    attackers.send('start');
    begin = performance.now();
  });
  attackers.send('stop');
  const [count] = await message();
  const rate = Number(count) / ((performance.now() - begin) / 1000);
  attackers.kill('SIGKILL');
  return { waits, rate, peak: server.isRunning() ? residentMemory(server.pid).peak : Number.NaN };
}

// A row for each address and request.
function rowsOf(waits: readonly Waits[]): string[][] {
  return waits.filter(({ kind }) => kind.way === 'TCP').map(({ kind: { address, request } }) => {
    const { median, worst, requests, failed } = together(waits, { address, request });
    return [address, request, median.toFixed(1), worst.toFixed(1), String(requests), String(failed)];
  });
}

/** The figures of a server beside a crowd that have a bound. */
export function judgeWaits(name: string, crowd: Crowd, waits: readonly Waits[], peak: number): Verdict[] {
  return [
    ...judge(new Map([['peak MiB', peak]]), new Map([['peak MiB', crowd.peak]]), `${name}: `),
    ...WAIT_BOUNDS[crowd.judged].flatMap(({ of, bounds }) => {
      const { failed, median, worst } = together(waits, of);
      const figures = new Map([['failed', failed], ['median ms', median], ['worst ms', worst]]);
      return judge(figures, bounds, `${[name, ...Object.values(of)].join(', ')}: `);
    }),
  ];
}

// The waits of several kinds together: how many, and the highest of their medians and of their worst.
function together(waits: readonly Waits[], of: Partial<HonestKind>) {
  const wanted = waits.filter(({ kind }) => isDeepStrictEqual({ ...kind, ...of }, kind));
  const sum = (figure: 'requests' | 'failed') => wanted.reduce((total, one) => total + one[figure], 0);
  const highest = (figure: 'median' | 'worst') => Math.max(...wanted.map((one) => one[figure]));
  return { requests: sum('requests'), failed: sum('failed'), median: highest('median'), worst: highest('worst') };
}
