// Measures how ordinary clients are served during an attack of 2,000 slow connections and of 20 clients that flood
// the server with illegal requests. All connections are to the loopback address.
import { cpuTime, residentMemory } from '../support/usage.ts';
import { startLoad, type Load } from './load.ts';
import { LOAD_CPU, startNode, startServer, type Server } from './processes.ts';
import { table } from './tables.ts';

const ORDINARY = 50;
const SLOW = 2_000;
const FLOODING = 20;
const TIME_MS = 15_000; // longer than a head may take, so that slow connections are closed during this time
const WARM_UP_MS = 2_000;

/** Prints the measurements of each server, without and with the attack. */
export async function printAttack(servers: ReadonlyMap<string, string>): Promise<void> {
  console.log(`${ORDINARY} ordinary clients; the attack: ${SLOW} slow connections, ${FLOODING} that flood; ${TIME_MS / 1000} s each\n`);
  const load = startLoad();
  const rows: string[][] = [];
  for (const [name, script] of servers) rows.push(...await measureAttack(load, name, script));
  await load.stop();
  console.log();
  console.log(table([['server', 'attack', 'requests/s', 'p50 ms', 'p99 ms', 'server CPU', 'memory MiB'], ...rows], 2));
}

async function measureAttack(load: Load, name: string, script: string): Promise<string[][]> {
  const server = await startServer(script);
  await load.open(server.port, ORDINARY);
  await serveOrdinary(load, server, WARM_UP_MS);
  const without = [name, 'no', ...await serveOrdinary(load, server, TIME_MS)];

  const attackers = startNode(`${import.meta.dirname}/attackers.js`, LOAD_CPU, [server.port, SLOW, FLOODING].map(String));
  await attackers.readLine();
  const during = [name, 'yes', ...await serveOrdinary(load, server, TIME_MS)];
  attackers.writeLine('');
  const [open, closed, ended, bytes] = (await attackers.readLine()).split('\t').map(Number);
  const mebibytes = ((bytes ?? 0) / 2 ** 20).toFixed(0);
  console.log(`${name}: ${open} slow connections open at the end, ${closed} closed before; ${ended} flooding connections ended, ${mebibytes} MiB sent on them`);

  await attackers.stop();
  await load.close(server.port);
  await server.stop();
  return [without, during];
}

// Returns the last columns of the table: rate and latency of the ordinary clients, and the memory at the end.
async function serveOrdinary(load: Load, { port, pid }: Server, timeMs: number): Promise<string[]> {
  const before = cpuTime(pid);
  const { requestsPerSecond, p50, p99 } = await load.run({
    port, requestKind: 'browser', path: '/api/greetings', connections: ORDINARY, requests: Infinity, timeMs,
  });
  const share = (cpuTime(pid) - before) / 1000 / timeMs;
  return [requestsPerSecond.toFixed(0), p50.toFixed(2), p99.toFixed(2), `${(share * 100).toFixed(0)} %`, residentMemory(pid).toFixed(0)];
}
