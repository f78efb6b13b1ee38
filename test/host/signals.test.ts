// What a stop does, step by step. That signals get there, and what else they do, is in https.test.ts and main.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { createReload, createStop, handleSignals } from '../../src/host/signals.ts';

const waiting = 'Closing: no new connections, waiting for requests in progress';
const CLOSING = [['info', waiting, { timeoutMs: 1_500 }], 'closes'];
const stopping = (signal: string) => [['info', 'Stopping', { signal, delayMs: 100 }], 'drains'];
const stopped = (requestsCut: number) => [['info', 'Stopped', { requestsCut }], 0];
const AT_ONCE = [['warn', 'Stopping at once on a second signal', { signal: 'SIGINT' }], 1];

/** Steps: a signal, milliseconds, or that all connections have closed; and what the service is told to do, or logs. */
for (const [what, hasHandedSockets, ...steps] of [
  ['a signal: the service drains for shutdownDelayMs, closes, and then the process exits with code 0', false,
    ['SIGTERM', stopping('SIGTERM')], [99, []], [1, CLOSING], [1_499, []], ['closed', stopped(0)], [1_500, []]],
  ['the service gives up handed sockets at once, and cuts what is open shutdownTimeoutMs after it began to close', true,
    ['SIGUSR2', [...stopping('SIGUSR2'), 'stops listening']],
    [100, CLOSING], [1_499, []], [1, ['cuts', ...stopped(3)]]],
  ['only a second SIGINT, a second or more after the first signal, stops at once', false,
    ['SIGINT', stopping('SIGINT')], ['SIGINT', []], ['SIGTERM', []], [100, CLOSING], [899, []], ['SIGINT', []],
    [1, []], ['SIGTERM', []], ['SIGQUIT', []], ['SIGINT', AT_ONCE], ['closed', []]],
] as const) {
  test(what, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let now = 5_000;
    t.mock.method(performance, 'now', () => now);
    let closed = () => {};
    const allClosed = new Promise<void>((resolve) => { closed = resolve; });
    const done: unknown[] = [];
    const stop = createStop({
      startDraining: () => done.push('drains'),
      stopListening: () => done.push('stops listening'),
      close: () => {
        done.push('closes');
        return allClosed;
      },
      closeAll: () => {
        done.push('cuts');
        closed();
        return 3;
      },
      exit: async (code) => void done.push(code),
    }, { shutdownDelayMs: 100, shutdownTimeoutMs: 1_500, hasHandedSockets }, (...line) => done.push(line));
    for (const [step, expected] of steps) {
      if (step === 'closed') closed();
      else if (typeof step === 'string') stop(step);
      else {
        now += step;
        t.mock.timers.tick(step);
      }
      await nextIteration();
      assert.deepEqual(done.splice(0), expected, String(step));
    }
  });
}

test('SIGHUP: TLS files are read one at a time, so that those of the last signal are used', async () => {
  const readings: (() => void)[] = [];
  const reload = createReload(() => new Promise((resolve) => readings.push(resolve)), () => {});
  reload();
  reload();
  await nextIteration();
  assert.equal(readings.length, 1);
  readings[0]?.();
  await nextIteration();
  assert.equal(readings.length, 2);
});

test('to close the terminal, or the console of Windows, is a stop; without one, SIGHUP reads the TLS files', (t) => {
  const listen = t.mock.method(process, 'on', () => process).mock;
  for (const [platform, isInTerminal, ...expected] of [
    ['linux', undefined, 'reload'], ['linux', true, 'SIGHUP'], ['win32', undefined, 'SIGBREAK', 'SIGHUP'],
  ] as const) {
    const done: unknown[] = [];
    listen.resetCalls();
    const actions = handleSignals(platform, isInTerminal);
    actions.stop = (signal) => done.push(signal);
    actions.reload = () => done.push('reload');
    for (const { arguments: [signal, act] } of listen.calls) act?.(signal);
    assert.deepEqual(done.sort(), [...expected, 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR2'].sort());
  }
});
