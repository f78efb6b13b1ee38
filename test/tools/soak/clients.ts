// The clients of the soak test: each plays random sessions, one after the other. A session is a short sequence, mostly of one client.
import type { Client } from '../../support/load.ts';
import { createRandom, type Random } from '../../support/random.ts';
import type { Part } from '../../support/sequences/part.ts';
import { lastRequest, legalRequest, mutatedRequests, variedRequest } from '../../support/sequences/random-requests.ts';
import { playOnSockets } from '../../support/sequences/play-on-sockets.ts';
import { randomSequence } from '../../support/sequences/random-sequence.ts';
import { empty, greetings, lastGreeting } from '../../support/sequences/requests.ts';
import { ofClientsOnly, send, WHOLE, type ClientStep, type Step } from '../../support/sequences/steps.ts';

type Session = (random: Random) => readonly Step[];

const client = (...steps: readonly ClientStep[]): Step[] => steps.map((step) => ({ ...step, client: 1, iterations: 0 }));
const legalOne = (random: Random) => (random.below(2) === 0 ? legalRequest(random, random.below(1e9)) : variedRequest(random));
const legal = (count: number, random: Random): Part[] => Array.from({ length: count }, () => legalOne(random));

/** Sends a request or some, of which the last one is incomplete. */
function halfSent(random: Random, most: number): ClientStep {
  const parts = legal(1 + random.below(most), random);
  return { kind: 'send', parts, held: 1 + random.below(parts.at(-1)?.bytes.length ?? 1), pieces: WHOLE };
}

/** A sequence of the simulation. */
const simulated: Session = (random) => ofClientsOnly(randomSequence(random.below(2 ** 31))).steps;

/** Sends all requests at once, and reads all replies. What is sent after the last request must not be answered. */
const pipelined: Session = (random) => {
  const after = random.pick([[], [], greetings(1, 1), [mutatedRequests(random)]]);
  return client(send(...legal(random.below(16), random), lastRequest(random, 0), ...after));
};

/** Sends each request after the reply to the one before it. */
const inTurns: Session = (random) =>
  client(...legal(1 + random.below(60), random).flatMap((part): ClientStep[] => [send(part), { kind: 'wait' }]));

/** Sends the bytes of the requests a few at a time. */
const slowly: Session = (random) => {
  const parts = [...legal(random.below(3), random), lastGreeting(0)];
  return client({ kind: 'send', parts, held: 0, pieces: 1 + random.below(50) });
};

/** Leaves at once or a little later. */
const reset = ({ below }: Random): Step[] => [{ kind: 'pass', ms: Math.max(0, below(20) - 10), iterations: 0 },
  ...client({ kind: 'reset' })];
const sentThenReset: Session = (random) => [...client(send(...legal(1 + random.below(16), random))), ...reset(random)];
const halfSentThenReset: Session = (random) => [...client(halfSent(random, 8)), ...reset(random)];
const halfSentThenEnded: Session = (random) => client(halfSent(random, 4), { kind: 'end' });

/** Sends an incomplete request, and waits until the service refuses it. */
const incomplete: Session = (random) => {
  const bytes = random.pick(['GET /health HTTP/1.1\r\nHo', 'GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab']);
  const sent = client({ kind: 'send', parts: [empty(408, `${bytes}x`)], held: 1, pieces: WHOLE });
  return [...sent, { kind: 'pass', ms: 20_000, iterations: 0 }];
};

/** Sends thousands of requests, and reads none of the replies. */
const unread: Session = (random) => [
  ...client({ kind: 'stop reading' }, send(...greetings(0, 50_000))),
  { kind: 'pass', ms: 1_000 * random.below(25), iterations: 0 },
  ...client({ kind: 'reset' }),
];

const SHARES: readonly (readonly [percent: number, session: Session])[] = [
  [10, simulated],
  [20, inTurns],
  [6, halfSentThenReset],
  [5, sentThenReset],
  [4, halfSentThenEnded],
  [3, slowly],
];

/** One that takes less than a second. */
function shortSession(random: Random): Session {
  let percent = random.below(100);
  return SHARES.find(([share]) => (percent -= share) < 0)?.[1] ?? pipelined;
}

/** One that takes several seconds. */
const longSession = (random: Random): Session => random.pick([incomplete, incomplete, unread]);

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
