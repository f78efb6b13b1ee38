// The clients of the soak test: each plays random sessions, one after the other.
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../../src/server/limits.ts';
import type { Client } from '../../support/load.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { OF_CLIENT } from '../../support/sequences/invariants.ts';
import { playOnSockets, type Target } from '../../support/sequences/play-on-sockets.ts';
import { longSession, shortSession, type Session } from './sessions.ts';

const AT_ONCE = 64;
const LONG = 8; // more clients, whose sessions take several seconds each
const CLOSE_MS = 60_000; // all read, or leave; so a connection is closed only when it is idle

/** The clients, made from `seed`. In a fault is the number of its session: the seed and this number make the same bytes again. */
export function createClients(port: number, isSecure: boolean, seed: number): Client[] {
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
  let sessions = 0;

  async function play(choose: (random: Random) => Session): Promise<number> {
    const number = (sessions += 1);
    const session = choose(createRandom(~(seed + number)));
    try {
      const outcomes = await playOnSockets({ steps: session(createRandom(seed + number)) }, target);
      for (const holds of Object.values(OF_CLIENT)) outcomes.forEach(holds);
      return outcomes.reduce((sum, { answers }) => sum + answers.length, 0);
    } catch (error) {
      throw new Error(`Session ${number}, ${session.name}: ${String(error)}`);
    }
  }

  return [shortSession, longSession].flatMap((choose, i) => Array.from({ length: i === 0 ? AT_ONCE : LONG }, () => () => play(choose)));
}
