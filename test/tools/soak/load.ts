// A load of many clients, each of which opens connections of random kinds, one after the other.
import { createRandom } from '../../support/random.ts';
import { unread, halfSentThenEnded, halfSentThenReset, sentThenReset, incomplete } from './misbehaving-sessions.ts';
import { scripted } from './scripted-session.ts';
import { inTurns, pipelined, slowly, type Session } from './sessions.ts';

export type Load = {
  /** Sends at least this many requests, and resolves when all connections have ended. */
  readonly send: (requests: number) => Promise<void>;
  readonly sent: () => { readonly requests: number; readonly connections: number };
  /** What went wrong, with the number of the connection. The seed and this number make the same bytes again. */
  readonly faults: readonly string[];
};

// The shares add up to 100.
const SHORT: readonly (readonly [share: number, session: Session])[] = [
  [52, pipelined],
  [10, scripted],
  [20, inTurns],
  [6, halfSentThenReset],
  [5, sentThenReset],
  [4, halfSentThenEnded],
  [3, slowly],
];
// These take several seconds. A client does not wait for their end, because then soon all clients would wait.
const LONG = [incomplete, incomplete, unread] as const;
const LONG_INTERVAL = 1_000; // one of so many connections is of these kinds

const MAX_FAULTS = 100; // the load ends when there are more

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
      if (random.below(LONG_INTERVAL) === 0) stays.push(run(random.pick(LONG), number));
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
