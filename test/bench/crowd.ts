// Measures how long ordinary clients wait beside a crowd: clients that send many pipelined requests at once, and read
// nothing. All connections are to the loopback address.
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMemory } from '../support/usage.ts';
import { startOrdinaryClients } from './ordinary-clients.ts';
import { LOAD_CPU, startNode, startServer } from './processes.ts';
import { percentile } from './statistics.ts';
import { table } from './tables.ts';

const CROWDS = [50, 500];
const PIPELINED = 8_000; // requests of each client of the crowd
const ORDINARY = 10;
const TIME_MS = 15_000;
const WARM_UP_MS = 1_000;
const SAMPLE_INTERVAL_MS = 20; // of the memory
const SERVER_ENV = { MAX_CONNECTIONS: '3000' };
// The whole heap. `--max-old-space-size` leaves out the young generation, for which node 24 takes up to 192 MiB more.
const HEAP = ['--max-heap-size=256'];

/** Prints how long the ordinary clients of each server wait beside each crowd. */
export async function printCrowd(servers: ReadonlyMap<string, string>): Promise<void> {
  console.log(`${ORDINARY} ordinary clients; the crowd sends ${PIPELINED} requests on each connection; ${TIME_MS / 1000} s each; heap of 256 MiB\n`);
  const rows: string[][] = [];
  for (const crowd of CROWDS) {
    for (const [name, script] of servers) rows.push([name, ...await measureCrowd(script, crowd)]);
  }
  console.log(table([['server', 'crowd', 'requests', 'failed', 'worst ms', 'p95 ms', 'peak MiB', 'lives'], ...rows], 1));
}

async function measureCrowd(script: string, count: number): Promise<string[]> {
  const server = await startServer(script, SERVER_ENV, HEAP);
  let lives = true;
  const died = server.ended.then(() => { lives = false; });
  const warmUp = startOrdinaryClients(server.port, ORDINARY);
  await sleep(WARM_UP_MS);
  await warmUp.stop();

  const crowd = startNode(`${import.meta.dirname}/crowd-clients.js`, LOAD_CPU, [server.port, count, PIPELINED].map(String));
  await crowd.readLine(); // its connections are open
  const ordinary = startOrdinaryClients(server.port, ORDINARY);
  let peak = 0;
  const sampling = setInterval(() => {
    if (lives) peak = Math.max(peak, residentMemory(server.pid));
  }, SAMPLE_INTERVAL_MS);
  crowd.writeLine('send');
  await Promise.race([sleep(TIME_MS), died]);
  const livesAtTheEnd = lives;
  clearInterval(sampling);
  const { waits, failed } = await ordinary.stop();

  await crowd.stop();
  await server.stop();
  const sorted = waits.toSorted((a, b) => a - b);
  const figures = [count, waits.length, failed, sorted.at(-1) ?? Number.NaN, percentile(sorted, 95), peak];
  return [...figures.map((figure) => figure.toFixed(0)), livesAtTheEnd ? 'yes' : 'no'];
}
