// Measures how long clients wait while others attack, for `npm run bench -- --attack`.
import { setTimeout as sleep } from 'node:timers/promises';
import { ATTACKS } from './attacks.ts';
import { measureBeside, startAttackers } from './beside.ts';
import { ATTACK_BOUNDS, judge, type Verdict } from './bounds.ts';
import { ONE } from './honest.ts';
import { namesThatStart, startServer, type Server, type Servers } from './processes.ts';
import { printTooHigh, table } from './tables.ts';

const CLIENTS = 100;
const LONGEST_STOP_MS = 15_000;
const SERVER_ENV = { MAX_CONNECTIONS: '3000', SHUTDOWN_TIMEOUT_MS: '3000' };
// The whole heap. `--max-old-space-size` leaves out the young generation, for which node 24 takes up to 192 MiB more.
const HEAP = ['--max-heap-size=256'];

/**
 * Plays the attacks whose names start with `only`, each for `seconds`, and prints how the requests of honest clients fared. The
 * process will exit with 1 when a figure of the service is above its bound.
 */
export async function printAttacks(servers: Servers, only: string, seconds: number): Promise<void> {
  const names = namesThatStart([...ATTACKS.keys()], only);
  console.log(`${CLIENTS} attackers, ${seconds} s for each attack and server; heap of 256 MiB\n`);
  const rows = [['attack', 'server', 'requests', 'failed', 'median ms', 'p95 ms', 'worst ms', 'peak MiB', 'stop s']];
  const verdicts: Verdict[] = [];
  for (const attack of names) {
    for (const [name, script] of servers) {
      const server = await startServer(script, SERVER_ENV, HEAP);
      const attackers = await startAttackers(server, [{ attack, clients: CLIENTS }]);
      const { waits: [waits], peak, lives } = await measureBeside(server, attackers, ONE, seconds);
      const stop = lives ? await stopSeconds(server) : 'ended';
      attackers.stop();
      await server.stop();
      const { requests = 0, failed = 0, median = Number.NaN, p95 = Number.NaN, worst = Number.NaN } = waits ?? {};
      const times = [median, p95, worst].map((ms) => ms.toFixed(1));
      rows.push([attack, name, String(requests), String(failed), ...times, peak.toFixed(0), stop]);
      const figures = new Map([['failed', failed], ['median ms', median], ['worst ms', worst], ['peak MiB', peak]]);
      if (name === 'service') verdicts.push(...judge(figures, ATTACK_BOUNDS, 0, `${attack}: `));
    }
  }
  console.log(table(rows, 2));
  printTooHigh(verdicts);
}

async function stopSeconds({ pid, ended }: Server): Promise<string> {
  const begin = performance.now();
  process.kill(pid, 'SIGTERM');
  const isEnded = await Promise.race([ended.then(() => true), sleep(LONGEST_STOP_MS, false, { ref: false })]);
  return isEnded ? ((performance.now() - begin) / 1000).toFixed(1) : 'never';
}
