// Looks for what the connections have not done yet: sequences that take a new transition, or bring a new combination, are kept and varied.
import { createRandom, type Random } from '../../support/random.ts';
import { randomSequences } from '../../support/sequences/random-sequence.ts';
import type { Sequence } from '../../support/sequences/steps.ts';

/** As many sequences as `count`, from `seed` on. `progress` says how much has been seen so far; it is asked after each sequence. */
export function* explore(seed: number, count: number, progress: () => number): Generator<Sequence> {
  const random = createRandom(seed);
  const kept: Sequence[] = [];
  let before = progress();
  for (let i = 0; i < count; i += 1) {
    const [fresh = { surroundings: { maxConnections: 1, addresses: 1, room: 0, isSecure: false, turnCost: 1 }, steps: [] }] = randomSequences(seed + i, 1);
    const sequence = kept.length === 0 || random.below(3) === 0 ? fresh : vary(kept[random.below(kept.length)] ?? fresh, fresh, random);
    yield sequence;
    if (progress() > before) kept.push(sequence);
    before = progress();
  }
}

/** A sequence that begins like `kept`, with steps of `fresh` in it, behind it, or instead of some of its own. */
function vary({ surroundings, steps }: Sequence, fresh: Sequence, { below }: Random): Sequence {
  const at = below(steps.length + 1);
  const more = fresh.steps.slice(0, 1 + below(3));
  return { surroundings: below(4) === 0 ? fresh.surroundings : surroundings, steps: steps.toSpliced(at, below(3), ...more) };
}
