// What the service would do on a signal or an uncaught error, called by a test instead of by node.
import type { TestContext } from 'node:test';

/** From now on, listeners that are added to `process` are kept, and not added. The returned function calls those of an event. */
export function keepListeners(t: TestContext): (event: string, ...args: readonly unknown[]) => void {
  const kept = t.mock.method(process, 'on', () => process);
  return (event, ...args) => {
    const listeners = kept.mock.calls.map((call): readonly unknown[] => call.arguments).filter(([name]) => name === event);
    if (listeners.length === 0) throw new Error(`Nothing listens for ${event}.`);
    for (const [, listener] of listeners) if (typeof listener === 'function') listener(...args);
  };
}
