// All sequences of some steps, up to a length, and the sequences of `npm test`.
import { randomSequences } from '../../support/sequences/random-sequence.ts';
import { RARE } from '../../support/sequences/rare-sequences.ts';
import { greeting, greetings, illegalHead, lastGreeting, withContent } from '../../support/sequences/requests.ts';
import { isOfClient, send, WHOLE, type ClientStep, type Sequence, type ServiceStep, type Step } from '../../support/sequences/steps.ts';

const SURROUNDINGS = { maxConnections: 100, addresses: 1, room: 100, isSecure: false, turnCost: 1 };
const NEAR_END = 30;

type Before = readonly Step[];
const has = (before: Before, ...kinds: readonly Step['kind'][]) => before.some(({ kind }) => kinds.includes(kind));
const latest = (before: Before, ...kinds: readonly Step['kind'][]) => before.findLast(({ kind }) => kinds.includes(kind));
const hasStoppedReading = (before: Before) => latest(before, 'read', 'stop reading')?.kind === 'stop reading';
const maySend = (before: Before) => !has(before, 'end');

function isUnfinished(before: Before): boolean {
  const step = latest(before, 'send', 'more');
  return maySend(before) && step?.kind === 'send' && step.held > 0;
}

// Each makes a step, and says when it does something. `number` differs for each place in a sequence.
const ALPHABET: readonly (readonly [(number: number) => ClientStep | ServiceStep, (before: Before) => boolean])[] = [
  [(number) => send(greeting(number)), maySend],
  [(number) => ({ kind: 'send', parts: [greeting(number)], held: NEAR_END, pieces: WHOLE }), maySend],
  [(number) => ({ kind: 'send', parts: [withContent(number)], held: 3, pieces: WHOLE }), maySend],
  [() => ({ kind: 'more', bytes: Infinity, pieces: WHOLE }), isUnfinished],
  [() => send(illegalHead()), maySend],
  [(number) => send(lastGreeting(number)), maySend],
  [(number) => send(...greetings(number, 3)), maySend],
  [() => ({ kind: 'read' }), hasStoppedReading],
  [() => ({ kind: 'stop reading' }), (before) => !hasStoppedReading(before)],
  [() => ({ kind: 'end' }), maySend],
  [() => ({ kind: 'reset' }), () => true],
  [() => ({ kind: 'next limit' }), (before) => before.length > 0],
  [() => ({ kind: 'drain' }), (before) => !has(before, 'drain', 'stop')],
  [() => ({ kind: 'stop' }), (before) => !has(before, 'stop')],
];

/**
 * All sequences of at most `depth` steps. A step that does nothing is left out: the others are a sequence of their own. So is one
 * that nothing follows, when the end of a sequence does the same.
 */
export function* allSequences(depth: number, before: Before = []): Generator<Sequence> {
  const kind = before.at(-1)?.kind;
  if (kind !== undefined && kind !== 'drain' && kind !== 'next limit') yield { surroundings: SURROUNDINGS, steps: before };
  if (before.length === depth || kind === 'reset') return; // after a reset there is nobody to see anything
  for (const [make, doesSomething] of ALPHABET) {
    if (!doesSomething(before)) continue;
    const what = make(10 * before.length);
    yield* allSequences(depth, [...before, isOfClient(what) ? { ...what, client: 1, iterations: 1 } : { ...what, iterations: 1 }]);
  }
}

export const DEPTH = 4;
export const RANDOM_SEQUENCES = 2_000;

/** The sequences of `npm test`. */
export function* defaultSequences(): Generator<Sequence> {
  yield* RARE;
  yield* randomSequences(1, RANDOM_SEQUENCES);
  yield* allSequences(DEPTH);
}

/** The command that plays the one at `index` again. */
export function playAgain(index: number): string {
  const seed = 1 + index - RARE.length;
  return seed < 1 || seed > RANDOM_SEQUENCES ? 'npm test' : `npm run simulate -- --seed ${seed} --sequences 1`;
}
