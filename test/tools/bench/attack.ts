// Measures how long clients wait while others attack, for `npm run bench -- --attack`.
import { setTimeout as sleep } from 'node:timers/promises';
import { ATTACKS } from './attacks.ts';
import { measureBeside, startAttackers, type Group } from './beside.ts';
import { ATTACK_BOUNDS, judge } from './bounds.ts';
import { ONE, type Waits } from './honest.ts';
import { waitsPicture } from './pictures.ts';
import { startServer, type Server, type Servers } from './processes.ts';
import { namesThatStart, requireOpenFiles } from './requirements.ts';
import { printTooHigh, waitsTable } from './tables.ts';

export type AttackOptions = {
  /** Only the attacks whose names start so. */
  readonly only: string;
  readonly clients: number;
  /** How long each attack lasts. */
  readonly seconds: number;
  /** A server that is attacked instead of those that are measured. */
  readonly elsewhere: string | undefined;
};

/** How the requests of honest clients of a server went during an attack. */
export type Outcome = Group & Waits & {
  readonly server: string;
  /** The most resident memory of the server, in MiB. */
  readonly peak: number;
  /** How long the stop took, in seconds, or `never`. Undefined when the server had ended before. */
  readonly stop: string | undefined;
};

const LONGEST_STOP_MS = 15_000;
const SERVER_ENV = { MAX_CONNECTIONS: '3000', SHUTDOWN_TIMEOUT_MS: '3000' };
// The whole heap. `--max-old-space-size` leaves out the young generation, for which node 24 takes up to 192 MiB more.
const HEAP = ['--max-heap-size=256'];

/** Attacks the servers, and prints the outcomes. The process will exit with 1 when a figure of the service is above its bound. */
export async function printAttacks(servers: Servers, { only, clients, seconds, elsewhere }: AttackOptions): Promise<void> {
  const names = namesThatStart([...ATTACKS.keys()], only);
  requireOpenFiles(clients + 1_000); // and those of honest clients, and of node itself
  console.log(`${seconds} s for each attack and server; heap of 256 MiB\n`);
  const outcomes: Outcome[] = [];
  for (const attack of names) {
    for (const [name, script] of servers) {
      const server = await startServer(script, SERVER_ENV, HEAP);
      const attacked = elsewhere === undefined ? server : await startServer(elsewhere, SERVER_ENV, HEAP);
      const attackers = await startAttackers(attacked, [{ attack, clients }]);
      const { waits, peak, lives } = await measureBeside(server, attackers, ONE, seconds);
      const stop = lives ? await stopSeconds(server) : undefined;
      for (const one of waits) outcomes.push({ attack, clients, server: name, ...one, peak, stop });
      attackers.stop();
      await Promise.all([server.stop(), attacked.stop()]);
    }
  }
  console.log(waitsTable(outcomes));
  console.log(waitsPicture(outcomes));
  printTooHigh(outcomes.filter(({ server }) => server === 'service').flatMap(({ attack, failed, median, worst, peak }) => {
    const figures = new Map([['failed', failed], ['median ms', median], ['worst ms', worst], ['peak MiB', peak]]);
    return judge(figures, ATTACK_BOUNDS, 0, `${attack}: `);
  }));
}

async function stopSeconds({ pid, ended }: Server): Promise<string> {
  const begin = performance.now();
  process.kill(pid, 'SIGTERM');
  const isEnded = await Promise.race([ended.then(() => true), sleep(LONGEST_STOP_MS, false, { ref: false })]);
  return isEnded ? ((performance.now() - begin) / 1000).toFixed(1) : 'never';
}
