// Many clients at once, each of them going by chance from one connection to the next.
import { createRandom } from '../support/random.ts';
import { deaf, halfSentThenEnded, halfSentThenReset, sentThenReset, waiting } from './rude-sessions.ts';
import { scripted } from './scripted-session.ts';
import { inTurns, pipelined, slowly, type Session } from './sessions.ts';

export type Load = {
  /** Sends so many requests and a few more, and resolves when all connections have ended. */
  readonly send: (requests: number) => Promise<void>;
  readonly sent: () => { readonly requests: number; readonly connections: number };
  /** What went wrong, and in which of the connections: the seed and this number make the same bytes again. */
  readonly faults: readonly string[];
};

// In each hundred connections.
const SHORT: readonly (readonly [share: number, session: Session])[] = [
  [52, pipelined],
  [10, scripted],
  [20, inTurns],
  [6, halfSentThenReset],
  [5, sentThenReset],
  [4, halfSentThenEnded],
  [3, slowly],
];
// These stay for seconds: nobody waits for them, or all would be waiting.
const LONG = [waiting, waiting, deaf] as const;
const LONG_ONES = 1_000; // in so many connections one is of these

const MAX_FAULTS = 100; // then it is no use to go on

/** A load of `atOnce` clients, made from `seed`. */
export function createLoad(port: number, seed: number, atOnce: number): Load {
  let requests = 0;
  let connections = 0;
  const faults: string[] = [];

  async function run(session: Session, number: number): Promise<void> {
    try {
      const sent = await session(port, createRandom(seed + number));
      requests += sent;
    } catch (error) {
      faults.push(`Connection ${number}, ${session.name}: ${String(error)}`);
    }
  }

  async function client(upTo: number): Promise<void> {
    const stays: Promise<void>[] = [];
    while (requests < upTo && faults.length < MAX_FAULTS) {
      const number = connections++;
      const random = createRandom(~(seed + number));
      if (random.below(LONG_ONES) === 0) stays.push(run(random.pick(LONG), number));
      else await run(choose(random.below(100)), number);
    }
    await Promise.all(stays);
  }

  return {
    send: async (count) => {
      const upTo = requests + count;
      await Promise.all(Array.from({ length: atOnce }, () => client(upTo)));
    },
    sent: () => ({ requests, connections }),
    faults,
  };
}

function choose(percent: number): Session {
  let upTo = 0;
  const [, session = pipelined] = SHORT.find(([share]) => percent < (upTo += share)) ?? [];
  return session;
}
