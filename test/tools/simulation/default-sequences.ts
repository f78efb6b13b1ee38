// The sequences of `npm test`.
import { allSequences } from './exhaustive.ts';
import { randomSequences } from '../../support/sequences/random-sequence.ts';
import { RARE } from '../../support/sequences/rare-sequences.ts';
import type { Sequence } from '../../support/sequences/steps.ts';

export const DEPTH = 4;
const FIRST_SEED = 1;
export const RANDOM_SEQUENCES = 2_000;

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
