// Many clients at once, each of them going by chance from one connection to the next.
import { createRandom } from './random.ts';
import { deaf, halfSentThenEnded, halfSentThenReset, sentThenReset, waiting } from './rude-sessions.ts';
import { inTurns, pipelined, slowly, type Session } from './sessions.ts';

export type Load = {
  requests: number;
  connections: number;
  /** What went wrong, and in which of the connections: the seed and this number make the same bytes again. */
  readonly faults: string[];
  /** Resolves when all connections have ended. */
  readonly done: Promise<unknown>;
};

export type LoadOptions = { readonly port: number; readonly seed: number; readonly requests: number; readonly atOnce: number };

// In each hundred connections.
const SHORT: readonly (readonly [share: number, session: Session])[] = [
  [62, pipelined],
  [20, inTurns],
  [6, halfSentThenReset],
  [5, sentThenReset],
  [4, halfSentThenEnded],
  [3, slowly],
];
// These stay for seconds: nobody waits for them, or all would be waiting.
const LONG = [waiting, waiting, deaf] as const;
const LONG_ONES = 400; // in so many connections one is of these

const MAX_FAULTS = 100; // then it is no use to go on

/** Starts to send at least so many requests. */
export function startLoad({ port, seed, requests, atOnce }: LoadOptions): Load {
  async function run(session: Session, number: number): Promise<void> {
    try {
      const sent = await session(port, createRandom(seed + number));
      load.requests += sent;
    } catch (error) {
      load.faults.push(`Connection ${number}, ${session.name}: ${String(error)}`);
    }
  }

  async function client(): Promise<void> {
    const stays: Promise<void>[] = [];
    while (load.requests < requests && load.faults.length < MAX_FAULTS) {
      const number = load.connections++;
      const random = createRandom(~(seed + number));
      if (random.below(LONG_ONES) === 0) stays.push(run(random.pick(LONG), number));
      else await run(choose(random.below(100)), number);
    }
    await Promise.all(stays);
  }

  const load: Load = { requests: 0, connections: 0, faults: [], done: Promise.resolve() };
  return Object.assign(load, { done: Promise.all(Array.from({ length: atOnce }, client)) });
}

function choose(percent: number): Session {
  let upTo = 0;
  const [, session = pipelined] = SHORT.find(([share]) => percent < (upTo += share)) ?? [];
  return session;
}
