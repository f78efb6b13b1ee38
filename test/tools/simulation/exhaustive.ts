// All sequences of some steps, up to a length.
import { greeting, greetings, illegalHead, lastGreeting, withContent } from '../../support/sequences/requests.ts';
import { isOfClient, send, WHOLE, type ClientStep, type Sequence, type ServiceStep, type Step } from '../../support/sequences/steps.ts';

const NEAR_END = 30;

// Each makes a step; `number` differs for each place in a sequence.
const ALPHABET: readonly ((number: number) => ClientStep | ServiceStep)[] = [
  (number) => send(greeting(number)),
  (number) => ({ kind: 'send', parts: [greeting(number)], held: NEAR_END, pieces: WHOLE }),
  (number) => ({ kind: 'send', parts: [withContent(number)], held: 3, pieces: WHOLE }),
  () => ({ kind: 'more', bytes: Infinity, pieces: WHOLE }),
  () => send(illegalHead()),
  (number) => send(lastGreeting(number)),
  (number) => send(...greetings(number, 3)),
  () => ({ kind: 'read' }),
  () => ({ kind: 'stop reading' }),
  () => ({ kind: 'end' }),
  () => ({ kind: 'reset' }),
  () => ({ kind: 'next limit' }),
  () => ({ kind: 'drain' }),
  () => ({ kind: 'stop' }),
];
const SURROUNDINGS = { maxConnections: 100, addresses: 1, room: 100, isSecure: false, turnCost: 1 };

/**
 * All sequences of at most `depth` steps. A step that does nothing is left out: the others are a sequence of their own. So is one
 * that nothing follows, when the end of a sequence does the same.
 */
export function* allSequences(depth: number, before: readonly Step[] = []): Generator<Sequence> {
  const latest = before.at(-1)?.kind;
  if (latest !== undefined && latest !== 'drain' && latest !== 'next limit') yield { surroundings: SURROUNDINGS, steps: before };
  if (before.length === depth) return;
  for (const letter of ALPHABET) {
    const what = letter(10 * before.length);
    if (doesNothing(what, before)) continue;
    const step = isOfClient(what) ? { ...what, client: 1, turns: 1 } : { ...what, turns: 1 };
    yield* allSequences(depth, [...before, step]);
  }
}

function doesNothing({ kind }: ClientStep | ServiceStep, before: readonly Step[]): boolean {
  const has = (...kinds: readonly Step['kind'][]) => before.some((step) => kinds.includes(step.kind));
  const reads = before.findLast((step) => step.kind === 'read' || step.kind === 'stop reading')?.kind !== 'stop reading';
  if (has('reset')) return true; // there is nobody to see it
  switch (kind) {
    case 'send':
    case 'end': return has('end');
    case 'more': return has('end') || !isUnfinished(before);
    case 'read': return reads;
    case 'stop reading': return !reads;
    case 'drain': return has('drain', 'stop');
    case 'stop': return has('stop');
    case 'next limit': return before.length === 0;
    default: return false;
  }
}

function isUnfinished(before: readonly Step[]): boolean {
  const latest = before.findLast((step) => step.kind === 'send' || step.kind === 'more');
  return latest?.kind === 'send' && latest.held > 0;
}
