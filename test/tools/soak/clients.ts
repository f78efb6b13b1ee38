// The clients of the soak test: each plays random sessions, one after the other.
import type { Client } from '../../support/load.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { playOnSockets } from '../../support/sequences/play-on-sockets.ts';
import { longSession, shortSession, type Session } from './sessions.ts';

const AT_ONCE = 64;
const LONG = 8; // more clients, whose sessions take several seconds each

/** The clients, made from `seed`. In a fault is the number of its session: the seed and this number make the same bytes again. */
export function createClients(port: number, isSecure: boolean, seed: number): Client[] {
  let sessions = 0;

  async function play(choose: (random: Random) => Session): Promise<number> {
    const number = (sessions += 1);
    const session = choose(createRandom(~(seed + number)));
    try {
      return await playOnSockets(session(createRandom(seed + number)), { port }, isSecure);
    } catch (error) {
      throw new Error(`Session ${number}, ${session.name}: ${String(error)}`);
    }
  }

  return [shortSession, longSession].flatMap((choose, i) => Array.from({ length: i === 0 ? AT_ONCE : LONG }, () => () => play(choose)));
}
