// What a stop does, step by step. That signals and uncaught errors get to these functions, and what the others do, is in the tests of the
// process: https.test.ts and main.test.ts.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { installStopHandler } from '../../src/host/signals.ts';

/** From now on, listeners that are added to `process` are kept, and not added. The returned function calls those of an event. */
function keepListeners(t: TestContext): (event: string, ...args: readonly unknown[]) => void {
  const kept = t.mock.method(process, 'on', () => process);
  return (event, ...args) => {
    const listeners = kept.mock.calls.map((call): readonly unknown[] => call.arguments).filter(([name]) => name === event);
    assert.notDeepEqual(listeners, [], `nothing listens for ${event}`);
    for (const [, listener] of listeners) if (typeof listener === 'function') listener(...args);
  };
}

const CLOSING = ['info', 'Closing: no new connections, waiting for requests in progress', { timeoutMs: 1000 }];
const stopping = (signal: string) => [['info', 'Stopping', { signal, delayMs: 100 }], 'drains'];
const stopped = (connectionsCut: number) => ['summarizes', ['info', 'Stopped', { connectionsCut }], 0];

/** Steps: a signal, a time to wait or that all connections have closed; and each time what the service is told to do, as the log is. */
for (const [what, ...steps] of [
  ['SIGTERM: the service drains for shutdownDelayMs, closes, and when that is done the process exits with code 0',
    ['SIGTERM', stopping('SIGTERM')], [99, []], [1, ['closes', CLOSING]], [999, []], ['closed', stopped(0)], [1000, []]],
  ['the connections that are open shutdownTimeoutMs after that are cut, and the log has their number',
    ['SIGINT', stopping('SIGINT')], [100, ['closes', CLOSING]], [1000, ['cuts', ...stopped(3)]]],
  ['on a second signal the process exits at once, with code 1',
    ['SIGTERM', stopping('SIGTERM')],
    ['SIGINT', ['summarizes', ['warn', 'Stopping at once on a second signal', { signal: 'SIGINT' }], 1]]],
] as const) {
  test(what, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const emit = keepListeners(t);
    let closed = () => {};
    const allClosed = new Promise<void>((resolve) => { closed = resolve; });
    const done: unknown[] = [];
    installStopHandler({
      startDraining: () => done.push('drains'),
      close: () => { done.push('closes'); return allClosed; },
      closeAll: () => { done.push('cuts'); closed(); return 3; },
      summarize: () => done.push('summarizes'),
      exit: (code) => done.push(code),
    }, { shutdownDelayMs: 100, shutdownTimeoutMs: 1000 }, (...line) => done.push(line));
    for (const [step, expected] of steps) {
      if (typeof step === 'number') t.mock.timers.tick(step);
      else if (step === 'closed') closed();
      else emit(step, step);
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(done.splice(0), expected, String(step));
    }
  });
}
