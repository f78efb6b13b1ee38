// Measures honest clients of a server beside groups of attackers. All connections are on the loopback interface.
import { residentMemory } from '../../support/usage.ts';
import { ATTACKS, WORK } from './attacks.ts';
import { HONEST_SETS } from './honest-kinds.ts';
import { LOAD_CPU, startNode, type Server } from './processes.ts';

/** Clients that do the same: the name of it in `ATTACKS` or `WORK`, how many they are, and from how many addresses they come. */
export type Group = { readonly attack: string; readonly clients: number; readonly addresses?: number };

/** How the requests of an honest client went. The times are waits in milliseconds. */
export type Waits = { readonly [figure in 'requests' | 'failed' | 'median' | 'p95' | 'worst']: number };

export type Beside = {
  /** For each kind of the set of honest clients, in its order. */
  readonly waits: readonly Waits[];
  /** How many replies, or handshakes, all attackers got in a second. */
  readonly rate: number;
  /** The most resident memory of the server, in MiB. */
  readonly peak: number;
  /** Whether the server was there at the end. */
  readonly lives: boolean;
};

export type Attackers = {
  readonly attack: () => void;
  /** How many replies, or handshakes, there have been. */
  readonly count: () => Promise<number>;
  readonly stop: () => Promise<void>;
};

const SAMPLE_INTERVAL_MS = 20; // of the memory

/** Starts attackers, a process for each group, and resolves when all are connected. */
export async function startAttackers({ port, tlsPort }: Server, groups: readonly Group[]): Promise<Attackers> {
  const processes = groups.map(({ attack, clients, addresses = 1 }) => {
    const isTls = (ATTACKS.get(attack) ?? WORK.get(attack))?.isTls === true;
    return startNode(`${import.meta.dirname}/attackers.js`, LOAD_CPU, [isTls ? tlsPort : port, attack, clients, addresses].map(String));
  });
  await Promise.all(processes.map(({ readLine }) => readLine()));
  return {
    attack() {
      for (const { writeLine } of processes) writeLine('attack');
    },
    async count() {
      for (const { writeLine } of processes) writeLine('count');
      const counts = await Promise.all(processes.map(({ readLine }) => readLine()));
      return counts.reduce((sum, count) => sum + Number(count), 0);
    },
    async stop() {
      await Promise.all(processes.map(({ stop }) => stop()));
    },
  };
}

/**
 * Starts the attack, and measures a set of honest clients of the server for so many seconds meanwhile, by the name of the set. The
 * attack goes on afterwards.
 */
export async function measureBeside(
  { pid, port, tlsPort, ended }: Server, attackers: Attackers, set: string, seconds: number,
): Promise<Beside> {
  let lives = true;
  void ended.then(() => { lives = false; });
  const honest = startNode(`${import.meta.dirname}/honest-clients.js`, LOAD_CPU, [port, tlsPort, seconds, set].map(String));
  await honest.readLine(); // the server is warm
  let peak = 0;
  const sampling = setInterval(() => {
    if (lives) peak = Math.max(peak, residentMemory(pid));
  }, SAMPLE_INTERVAL_MS);
  attackers.attack();
  const begin = performance.now();
  honest.writeLine('begin');
  const waits: Waits[] = [];
  while (waits.length < (HONEST_SETS.get(set)?.kinds.length ?? 0)) waits.push(waitsIn(await honest.readLine()));
  clearInterval(sampling);
  const rate = await attackers.count() / ((performance.now() - begin) / 1000);
  return { waits, rate, peak, lives };
}

function waitsIn(line: string): Waits {
  const figures = line.split('\t').map(Number);
  const [requests = Number.NaN, failed = Number.NaN, median = Number.NaN, p95 = Number.NaN, worst = Number.NaN] = figures;
  return { requests, failed, median, p95, worst };
}
