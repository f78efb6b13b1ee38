// Random choices that can be repeated: the same ones for the same seed.

export type Random = ReturnType<typeof createRandom>;

/** Random choices for this seed, a whole number. Seeds next to each other have nothing in common (SplitMix32). */
export function createRandom(seed: number) {
  let state = seed;

  /** A whole number from 0 on that is below `limit`, which is at most 2 ** 32. */
  function below(limit: number): number {
    state = (state + 0x9e37_79b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0_aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % limit;
  }

  function pick<T>(list: readonly T[]): T {
    for (const one of list.slice(below(list.length))) return one;
    throw new RangeError('There is nothing to pick.');
  }
  return { below, pick };
}
