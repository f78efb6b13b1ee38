// That Node calls these functions on signals and errors is in the tests of the process.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { installReloadHandler, installStopHandler, installUncaughtErrorHandler } from '../../src/host/signals.ts';
import { StartError } from '../../src/host/start-error.ts';
import { keepListeners } from '../support/listeners.ts';

const CLOSING = 'Closing: no new connections, waiting for requests in progress';
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A service that writes down what it is told to do, as the log does, and that has closed when `closed` is called. */
function setUp(t: TestContext) {
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
  const after = async (ms: number): Promise<unknown[]> => {
    t.mock.timers.tick(ms);
    await settled();
    return done.splice(0);
  };
  return { emit, after, closed };
}

for (const signal of ['SIGTERM', 'SIGINT']) {
  test(`${signal}: the service drains for shutdownDelayMs, closes, and when that is done the process exits with code 0`, async (t) => {
    const { emit, after, closed } = setUp(t);
    emit(signal, signal);
    assert.deepEqual(await after(99), [['info', 'Stopping', { signal, delayMs: 100 }], 'drains']);
    assert.deepEqual(await after(1), ['closes', ['info', CLOSING, { timeoutMs: 1000 }]]);
    assert.deepEqual(await after(999), []);
    closed();
    assert.deepEqual(await after(0), ['summarizes', ['info', 'Stopped', { connectionsCut: 0 }], 0]);
    assert.deepEqual(await after(1000), []);
  });
}

test('the connections that are open shutdownTimeoutMs after that are cut, and the log has their number', async (t) => {
  const { emit, after } = setUp(t);
  emit('SIGTERM', 'SIGTERM');
  await after(100);
  assert.deepEqual(await after(1000), ['cuts', 'summarizes', ['info', 'Stopped', { connectionsCut: 3 }], 0]);
});

test('on a second signal the process exits at once, with code 1', async (t) => {
  const { emit, after } = setUp(t);
  emit('SIGTERM', 'SIGTERM');
  await after(0);
  emit('SIGINT', 'SIGINT');
  assert.deepEqual(await after(0), ['summarizes', ['warn', 'Stopping at once on a second signal', { signal: 'SIGINT' }], 1]);
});

const error = new TypeError('boom');
for (const [reload, line] of [
  [undefined, ['info', 'There are no TLS files to read again.']],
  [() => {}, ['info', 'The TLS files have been read again.']],
  [() => { throw error; }, ['error', 'The TLS files could not be read again; the previous ones stay in use.', { error }]],
] as const) {
  test(`SIGHUP: ${line[1]}`, (t) => {
    const emit = keepListeners(t);
    const logged: unknown[] = [];
    installReloadHandler(reload, (...one) => logged.push(one));
    emit('SIGHUP', 'SIGHUP');
    assert.deepEqual(logged, [line]);
  });
}

const reason = (text: string) => ['error', 'The service cannot start.', { reason: text }] as const;
for (const [thrown, lines, exitCode] of [
  [error, [['fatal', 'The process ends because of an error that nothing caught.', { error }]], 1],
  [new StartError(['One.', 'Two.'], 78), [reason('One.'), reason('Two.')], 78],
] as const) {
  test(`${thrown} is logged, and then the process exits with code ${exitCode}`, (t) => {
    const emit = keepListeners(t);
    const calls: unknown[] = [];
    installUncaughtErrorHandler((...line) => calls.push(line), (code) => calls.push(code));
    emit('uncaughtException', thrown);
    assert.deepEqual(calls, [...lines, exitCode]);
  });
}
