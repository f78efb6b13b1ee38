// The clients of the soak test: each plays sequences of steps, one after the other.
import type { Client } from '../../support/load.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { playOnSockets } from '../../support/sequences/play-on-sockets.ts';
import { randomSequence } from '../../support/sequences/random-sequence.ts';
import { greetings, withContent } from '../../support/sequences/requests.ts';
import { isOfClient, send, WHOLE, type ClientStep, type Step } from '../../support/sequences/steps.ts';

const PLAYERS = 64; // play what clients do in random sequences of the simulation
const SLOW_PLAYERS = 8; // play `slow`

const of = (...steps: readonly ClientStep[]): Step[] => steps.map((step) => ({ ...step, client: 1, iterations: 0 }));
const pass = (ms: number): Step => ({ kind: 'pass', ms, iterations: 0 });

/** An incomplete request, until the service refuses it; or thousands of requests, and none of the replies is read. */
function slow({ below, pick }: Random): readonly Step[] {
  const incomplete = () => [...of({ kind: 'send', parts: [withContent(0)], held: pick([1, 30]), pieces: WHOLE }), pass(20_000)];
  const unread = () =>
    [...of({ kind: 'stop reading' }, send(...greetings(0, 50_000))), pass(1_000 * below(25)), ...of({ kind: 'reset' })];
  return pick([incomplete, incomplete, unread])();
}

/** The clients. A fault names the seed of its sequence, which makes the same bytes again; that of the first one is `seed`. */
export function createClients(port: number, isSecure: boolean, seed: number): Client[] {
  let next = seed;
  const player = (stepsFor: (seed: number) => readonly Step[]): Client => async () => {
    const own = next;
    next += 1;
    return playOnSockets(stepsFor(own), { port }, isSecure).catch((error: unknown) => {
      throw new Error(`Seed ${own}: ${String(error)}`);
    });
  };
  return [
    ...Array.from({ length: PLAYERS }, () => player((own) => randomSequence(own).steps.filter(isOfClient))),
    ...Array.from({ length: SLOW_PLAYERS }, () => player((own) => slow(createRandom(own)))),
  ];
}
