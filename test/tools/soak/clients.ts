// The clients of the soak test: each plays random sessions, one after the other. A session is a short sequence, mostly of one client.
import type { Client } from '../../support/load.ts';
import { createRandom, type Random } from '../../support/random.ts';
import type { Part } from '../../support/sequences/part.ts';
import { playOnSockets } from '../../support/sequences/play-on-sockets.ts';
import { randomSequence } from '../../support/sequences/random-sequence.ts';
import { empty, greetings, lastRequest, legalRequest } from '../../support/sequences/requests.ts';
import { ofClientsOnly, send, WHOLE, type ClientStep, type Step } from '../../support/sequences/steps.ts';

type Session = (random: Random) => readonly Step[];

const client = (...steps: readonly ClientStep[]): Step[] => steps.map((step) => ({ ...step, client: 1, iterations: 0 }));
// Nearly every name is new, so that memory kept for each name would be seen.
const legal = (count: number, random: Random): Part[] => Array.from({ length: count }, () => legalRequest(random, random.below(1e9)));

/** A sequence of the simulation: clients send requests in parts and in pieces, and leave when they like. */
const simulated: Session = (random) => ofClientsOnly(randomSequence(random.below(2 ** 31))).steps;

/** Sends all requests at once, and reads all replies. What is sent after the last request must not be answered. */
const pipelined: Session = (random) => {
  return client(send(...legal(random.below(16), random), lastRequest(random, 0), ...greetings(1, random.below(2))));
};

/** Sends each request after the reply to the one before it. */
const inTurns: Session = (random) =>
  client(...legal(1 + random.below(60), random).flatMap((part): ClientStep[] => [send(part), { kind: 'wait' }]));

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

/** So many clients choose among these sessions: those of less than a second, and those of several. */
const CLIENTS: readonly (readonly [count: number, sessions: readonly [Session, ...Session[]]])[] = [
  [64, [simulated, inTurns, pipelined, pipelined]],
  [8, [incomplete, incomplete, unread]],
];

/** The clients, made from `seed`. In a fault is the number of its session: the seed and this number make the same bytes again. */
export function createClients(port: number, isSecure: boolean, seed: number): Client[] {
  let played = 0;

  async function play(sessions: readonly [Session, ...Session[]]): Promise<number> {
    const number = (played += 1);
    const random = createRandom(seed + number);
    const session = random.pick(sessions);
    try {
      return await playOnSockets(session(random), { port }, isSecure);
    } catch (error) {
      throw new Error(`Session ${number}, ${session.name}: ${String(error)}`);
    }
  }

  return CLIENTS.flatMap(([count, sessions]) => Array.from({ length: count }, () => () => play(sessions)));
}
