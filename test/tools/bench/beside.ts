// Measures honest clients of a server while groups of attackers are at work. All connections are on the loopback interface.
import { once } from 'node:events';
import { residentMemory } from '../../support/usage.ts';
import { ATTACKS, WORK } from './attacks.ts';
import { measureHonest, type HonestSet } from './honest.ts';
import { startOnLoadCpu, type Server } from './processes.ts';

/** Clients that do the same: the name of it in `ATTACKS` or `WORK`, how many they are, and from how many addresses they come. */
export type Group = { readonly attack: string; readonly clients: number; readonly addresses?: number };

export type Beside = Awaited<ReturnType<typeof measureBeside>>;
export type Attackers = Awaited<ReturnType<typeof startAttackers>>;

const SAMPLE_INTERVAL_MS = 20; // of the memory

/** Starts attackers, a process for each group, and resolves when all are connected. */
export async function startAttackers({ port, tlsPort }: Server, groups: readonly Group[]) {
  const processes = groups.map(({ attack, clients, addresses = 1 }) => {
    const isTls = (ATTACKS.get(attack) ?? WORK.get(attack))?.isTls === true;
    return startOnLoadCpu(`${import.meta.dirname}/attackers.js`, [isTls ? tlsPort : port, attack, clients, addresses]);
  });
  const messages = () => Promise.all(processes.map((child) => Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => { throw new Error('The attackers have ended.'); }),
  ])));
  const tell = () => processes.forEach((child) => child.send('go on'));
  await messages();
  return {
    /** They begin. */
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

/** Starts the attack, and measures a set of honest clients of the server for `seconds` meanwhile. The attack continues afterwards. */
export async function measureBeside(server: Server, attackers: Attackers, set: HonestSet, seconds: number) {
  let lives = true;
  void server.ended.then(() => { lives = false; });
  let peak = 0;
  const sampling = setInterval(() => { if (lives) peak = Math.max(peak, residentMemory(server.pid)); }, SAMPLE_INTERVAL_MS);
  let begin = 0;
  const waits = await measureHonest(server, set, seconds, () => {
    attackers.attack();
    begin = performance.now();
  });
  clearInterval(sampling);
  const rate = await attackers.count() / ((performance.now() - begin) / 1000);
  return {
    /** For each kind of the set of honest clients, in its order. */
    waits,
    /** How many replies, or handshakes, all attackers got in a second. */
    rate,
    /** The most resident memory of the server, in MiB. */
    peak,
    /** Whether the server was there at the end. */
    lives,
  };
}
