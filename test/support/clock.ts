// Clocks for tests: of `performance.now`, which the test moves, and of the turns of the event loop.
import type { TestContext } from 'node:test';

/** `performance.now` stands still until it is told to go on, by as many milliseconds as the returned function is given. */
export function stopTheClock(t: TestContext): (ms: number) => void {
  let now = 1000;
  t.mock.method(performance, 'now', () => now);
  return (ms) => {
    now += ms;
  };
}

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
