// Random choices that can be repeated: the same seed gives the same choices.
import { createHash } from 'node:crypto';

export type Random = ReturnType<typeof createRandom>;

export function createRandom(seed: number) {
  let drawn = 0;
  /** A whole number of at least 0 that is less than `limit`. */
  function below(limit: number): number {
    drawn += 1;
    return createHash('sha1').update(`${seed} ${drawn}`).digest().readUInt32BE() % limit;
  }
  const pick = <T>(from: readonly [T, ...T[]]): T => from[below(from.length)] ?? from[0];
  return { below, pick };
}
