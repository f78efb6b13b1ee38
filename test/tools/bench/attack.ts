// Measures how long honest clients wait while others attack the server. All connections are to the loopback address.
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMemory } from '../../support/usage.ts';
import { LOAD_CPU, startNode, startServer, type Server } from './processes.ts';
import { table } from './tables.ts';

/** An attack, by its name in `ATTACKS`, and how many clients take part. */
export type Attacking = { readonly attack: string; readonly clients: number };

const SAMPLE_INTERVAL_MS = 20; // of the memory
const LONGEST_STOP_MS = 15_000;
const SERVER_ENV = { MAX_CONNECTIONS: '3000', SHUTDOWN_TIMEOUT_MS: '3000' };
// The whole heap. `--max-old-space-size` leaves out the young generation, for which node 24 takes up to 192 MiB more.
const HEAP = ['--max-heap-size=256'];

/**
 * Prints how long honest clients of each server wait during each attack. With `elsewhere` the attacks are on that server,
 * and not on the one that is measured.
 */
export async function printAttacks(
  servers: ReadonlyMap<string, string>, attacks: readonly Attacking[], seconds: number, elsewhere: string | undefined,
): Promise<void> {
  console.log(`${seconds} s for each attack and server; heap of 256 MiB\n`);
  const rows: string[][] = [];
  for (const { attack, clients } of attacks) {
    for (const [name, script] of servers) {
      const server = await startServer(script, SERVER_ENV, HEAP);
      const other = elsewhere === undefined ? undefined : await startServer(elsewhere, SERVER_ENV, HEAP);
      rows.push([attack, name, String(clients), ...await measureAttack(server, { attack, clients }, seconds, other?.port ?? server.port)]);
      await other?.stop();
    }
  }
  const figures = ['requests', 'failed', 'median ms', 'p95 ms', 'worst ms', 'peak MiB', 'lives', 'stop s'];
  console.log(table([['attack', 'server', 'clients', ...figures], ...rows], 2));
}

async function measureAttack(server: Server, { attack, clients }: Attacking, seconds: number, attackedPort: number): Promise<string[]> {
  let lives = true;
  void server.ended.then(() => { lives = false; });
  const attackers = startNode(`${import.meta.dirname}/attackers.js`, LOAD_CPU, [String(attackedPort), attack, String(clients)]);
  const honest = startNode(`${import.meta.dirname}/honest-clients.js`, LOAD_CPU, [server.port, seconds].map(String));
  await Promise.all([attackers.readLine(), honest.readLine()]); // the attackers are connected, and the server is warm

  let peak = 0;
  const sampling = setInterval(() => {
    if (lives) peak = Math.max(peak, residentMemory(server.pid));
  }, SAMPLE_INTERVAL_MS);
  attackers.writeLine('attack');
  honest.writeLine('begin');
  const waits = (await honest.readLine()).split('\t');
  clearInterval(sampling);
  const end = lives ? ['yes', await stopSeconds(server)] : ['no', ''];
  await attackers.stop();
  await server.stop();
  return [...waits, peak.toFixed(0), ...end];
}

async function stopSeconds({ pid, ended }: Server): Promise<string> {
  const begin = performance.now();
  process.kill(pid, 'SIGTERM');
  const isEnded = await Promise.race([ended.then(() => true), sleep(LONGEST_STOP_MS, false, { ref: false })]);
  return isEnded ? ((performance.now() - begin) / 1000).toFixed(1) : 'never';
}
