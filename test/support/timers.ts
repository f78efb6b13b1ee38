// Timers that a test holds, also for modules that have imported them from node:timers, as src/turns does.
import { syncBuiltinESMExports } from 'node:module';
import type { TestContext } from 'node:test';

/** Replaces these until the test ends. They act when `t.mock.timers.tick` is called. */
export function holdTimers(t: TestContext, ...apis: readonly ('setTimeout' | 'setInterval')[]): void {
  t.mock.timers.enable({ apis: [...apis] });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.timers.reset();
    syncBuiltinESMExports();
  });
}
