import type { TestContext } from 'node:test';

/** A clock of milliseconds, `performance.now`, that stands still until it is told to go on. */
export function stopTheClock(t: TestContext): (ms: number) => void {
  let now = 1000;
  t.mock.method(performance, 'now', () => now);
  return (ms) => {
    now += ms;
  };
}
