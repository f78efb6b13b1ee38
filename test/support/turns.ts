import type { TestContext } from 'node:test';

/** Counts the turns of the event loop, which does not wait meanwhile. The returned function says how many there were. */
export function countTurns(t: TestContext): () => number {
  let turns = 0;
  const count = () => {
    turns += 1;
    counter = setImmediate(count);
  };
  let counter = setImmediate(count);
  t.after(() => clearImmediate(counter));
  return () => turns;
}
