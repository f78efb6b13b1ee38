// A load of many clients, each of which plays random sessions, one after the other.
import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../../support/random.ts';
import { OF_CLIENT } from '../../support/sequences/invariants.ts';
import { playOnSockets, type Target } from '../../support/sequences/play-on-sockets.ts';
import { LIMITS } from '../../../src/server/limits.ts';
import { LONG, SHORT, type Session } from './sessions.ts';

export type Load = {
  /** Sends requests until it has got at least this many replies, and resolves when all connections have ended. */
  readonly send: (requests: number) => Promise<void>;
  /** How many requests have been answered, and how many sessions there were. */
  readonly sent: () => { readonly requests: number; readonly sessions: number };
  /** What went wrong, with the number of the session. The seed and this number make the same bytes again. */
  readonly faults: readonly string[];
};

// A client does not wait for the end of a long session, because then soon all clients would wait.
const LONG_INTERVAL = 1_000; // one of so many is long
const CLOSE_MS = 60_000; // all read, or leave; so a connection is closed only when it is idle

const MAX_FAULTS = 100; // the load ends when there are more

/** A load of `atOnce` clients, made from `seed`. */
export function createLoad(port: number, isSecure: boolean, seed: number, atOnce: number): Load {
  let requests = 0;
  let sessions = 0;
  const faults: string[] = [];
  const target: Target = {
    place: { port },
    isSecure,
    clientAddress: '127.0.0.1',
    perform: async (step) => { if (step.kind === 'pass') await delay(step.ms); },
    nowMs: () => performance.now(),
    limits: { headMs: LIMITS.headMs, closeMs: CLOSE_MS, lingerMs: LIMITS.lingerMs },
    hasClosed: () => false,
    isClosing: () => false,
  };

  async function run(session: Session, number: number): Promise<void> {
    try {
      const outcomes = await playOnSockets({ steps: session(createRandom(seed + number)) }, target);
      requests += outcomes.reduce((sum, { answers }) => sum + answers.length, 0);
      for (const holds of Object.values(OF_CLIENT)) outcomes.forEach(holds);
    } catch (error) {
      faults.push(`Session ${number}, ${session.name}: ${String(error)}`);
    }
  }

  async function client(upTo: number): Promise<void> {
    const stays: Promise<void>[] = [];
    while (requests < upTo && faults.length < MAX_FAULTS) {
      const number = sessions++;
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
    sent: () => ({ requests, sessions }),
    faults,
  };
}

function choose(percent: number): Session {
  let upTo = 0;
  const [, session] = SHORT.find(([share]) => percent < (upTo += share)) ?? SHORT[0];
  return session;
}
