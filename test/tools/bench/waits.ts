// Measures how long honest clients wait while others attack the server. All connections are to the loopback address.
import { setTimeout as sleep } from 'node:timers/promises';
import { measureBeside, startAttackers, type Waits } from './beside.ts';
import { startServer, type Server } from './processes.ts';

/** An attack, by its name in `ATTACKS`, and how many clients take part. */
export type Attacking = { readonly attack: string; readonly clients: number };

/** How the requests of honest clients of a server went during an attack. */
export type Outcome = Attacking & Waits & {
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

/**
 * Measures how long honest clients of each server wait during each attack. With `elsewhere` the attacks are on that server,
 * and not on the one that is measured.
 */
export async function measureWaits(
  servers: ReadonlyMap<string, string>, attacks: readonly Attacking[], seconds: number, elsewhere: string | undefined,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const attacking of attacks) {
    for (const [name, script] of servers) {
      const server = await startServer(script, SERVER_ENV, HEAP);
      const other = elsewhere === undefined ? undefined : await startServer(elsewhere, SERVER_ENV, HEAP);
      outcomes.push({ ...attacking, server: name, ...await measureAttack(server, attacking, seconds, other ?? server) });
      await other?.stop();
    }
  }
  return outcomes;
}

async function measureAttack(
  server: Server, attacking: Attacking, seconds: number, attacked: Server,
): Promise<Omit<Outcome, keyof Attacking | 'server'>> {
  const attackers = await startAttackers(attacked, [attacking]);
  const { waits: [waits], peak, lives } = await measureBeside(server, attackers, 'one', seconds);
  if (waits === undefined) throw new Error('There are no honest clients.');
  const stop = lives ? await stopSeconds(server) : undefined;
  await attackers.stop();
  await server.stop();
  return { ...waits, peak, stop };
}

async function stopSeconds({ pid, ended }: Server): Promise<string> {
  const begin = performance.now();
  process.kill(pid, 'SIGTERM');
  const isEnded = await Promise.race([ended.then(() => true), sleep(LONGEST_STOP_MS, false, { ref: false })]);
  return isEnded ? ((performance.now() - begin) / 1000).toFixed(1) : 'never';
}
