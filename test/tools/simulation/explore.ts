// Looks for what the connections have not done yet: sequences that take a new transition, or bring a new combination of what a connection
// can be in, are kept and varied.
import { createRandom, type Random } from '../../support/random.ts';
import { randomSequence } from '../../support/sequences/random-sequence.ts';
import type { Sequence } from '../../support/sequences/steps.ts';
import type { Change } from './service.ts';

/** How many lines of a stack trace say whether a state has been entered in a turn. */
export const TRACE_LENGTH = 8;

const OBSERVER = Symbol.for('the observer of transitions');

/** Makes the service tell each change of state. */
export const OBSERVED: Change = {
  file: 'server/connection',
  text: 'if (this.#state.enter(state))',
  replacement: `globalThis[Symbol.for('${OBSERVER.description}')](this.#state.name, state, new Error(), \
[this.#transport.hasBegun(), this.#record !== undefined, this.#context.isDraining()]); if (this.#state.enter(state))`,
};

/**
 * Notes from now on what the connections of a service that was loaded with `OBSERVED` do. A transition is `idle --> head`, as in the
 * diagram of src/README.md.
 */
export function observeTransitions() {
  const transitions = new Set<string>();
  const combinations = new Set<string>();
  Object.assign(globalThis, { [OBSERVER]: (from: string, to: string, { stack = '' }: Error, situation: readonly boolean[]) => {
    if (from === 'closed') return;
    transitions.add(`${from} --> ${to}`);
    combinations.add([from, to, stack.includes('Turns'), ...situation].join());
  } });
  return { transitions, combinations };
}

/** As many sequences as `count`, from `seed` on. `progress` says how much has been seen so far; it is asked after each sequence. */
export function* explore(seed: number, count: number, progress: () => number): Generator<Sequence> {
  const random = createRandom(seed);
  const kept: Sequence[] = [];
  let before = progress();
  for (let i = 0; i < count; i += 1) {
    const fresh = randomSequence(seed + i);
    const sequence = kept.length === 0 || random.below(3) === 0 ? fresh : vary(kept[random.below(kept.length)] ?? fresh, fresh, random);
    yield sequence;
    if (progress() > before) kept.push(sequence);
    before = progress();
  }
}

/** A sequence that begins like `kept`, with steps of `fresh` in it, after it, or instead of some of its own. */
function vary({ surroundings, steps }: Sequence, fresh: Sequence, { below }: Random): Sequence {
  const at = below(steps.length + 1);
  const more = fresh.steps.slice(0, 1 + below(3));
  return { surroundings: below(4) === 0 ? fresh.surroundings : surroundings, steps: steps.toSpliced(at, below(3), ...more) };
}
