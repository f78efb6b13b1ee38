// The sequences of `npm test`.
import { allSequences } from './exhaustive.ts';
import { behindEmptyLines, greeting, lastGreeting, withTooMuchContent } from './parts.ts';
import { randomSequences } from './random-sequence.ts';
import type { ClientStep, Sequence, Step } from './steps.ts';

export const DEPTH = 4;
const FIRST_SEED = 1;
export const RANDOM_SEQUENCES = 2_000;

const surroundings = { maxConnections: 10, addresses: 1, room: 10 };
const client = (step: ClientStep, turns = 1): Step => ({ ...step, client: 1, turns });
const greetings = (count: number): ClientStep => ({ kind: 'send', parts: Array.from({ length: count }, (_, i) => greeting(i)), held: 0 });

// Sequences that are rare among random ones.
const RARE: readonly Sequence[] = [
  // A reply that becomes possible after the connections have been cut has not left.
  { surroundings, steps: [client(greetings(1)), client(greetings(2), 0), { kind: 'stop', turns: 0 }, { kind: 'cut', turns: 1 }] },
  // A connection that becomes idle a while after the stop is closed.
  { surroundings, steps: [client({ kind: 'stop reading' }), client(greetings(1)), { kind: 'stop', turns: 1 }, { kind: 'pass', ms: 1_000, turns: 1 }, client({ kind: 'read' })] },
  // The first byte of a request is the first one that is not CR or LF.
  { surroundings, steps: [client({ kind: 'send', parts: [behindEmptyLines(1)], held: Infinity })] },
  // A connection that is over does not count when connections are cut.
  { surroundings, steps: [client({ kind: 'send', parts: [lastGreeting(1)], held: 0 }), { kind: 'stop', turns: 1 }, { kind: 'cut', turns: 1 }] },
  // A refusal that the client does not read is the only reply, also when the request ends right behind what it was refused for.
  { surroundings, steps: [client({ kind: 'stop reading' }), client({ kind: 'send', parts: [withTooMuchContent()], held: 0 })] },
];

export function* defaultSequences(): Generator<Sequence> {
  yield* RARE;
  yield* randomSequences(FIRST_SEED, RANDOM_SEQUENCES);
  yield* allSequences(DEPTH);
}

/** The command that plays the one at `index` again. */
export function playAgain(index: number): string {
  const seed = FIRST_SEED + index - RARE.length;
  if (seed < FIRST_SEED) return 'npm test';
  return `npm run simulate -- ${seed < FIRST_SEED + RANDOM_SEQUENCES ? `--seed ${seed} --sequences 1 --verbose` : `--exhaustive ${DEPTH}`}`;
}
