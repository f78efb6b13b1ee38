import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { installReloadHandler, installStopHandler } from '../../src/host/signals.ts';
import { keepListeners } from '../support/listeners.ts';

const CLOSING = 'Closing: no new connections, waiting for requests in progress';
const TIMES = { delayMs: 100, timeoutMs: 1000 };
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A service that writes down what it is told to do, as the log does, and that has closed when `closed` is called. */
function setUp(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const emit = keepListeners(t);
  let closed = () => {};
  const allClosed = new Promise<void>((resolve) => { closed = resolve; });
  const done: unknown[] = [];
  const takeDone = () => done.splice(0);
  installStopHandler({
    startDraining: () => done.push('drains'),
    close: () => { done.push('closes'); return allClosed; },
    closeAll: () => { done.push('cuts'); closed(); return 3; },
    summarize: () => done.push('summarizes'),
    exit: (code) => done.push(code),
  }, TIMES, (...line) => done.push(line));
  return { emit, takeDone, closed };
}

for (const signal of ['SIGTERM', 'SIGINT']) {
  test(`${signal}: the service drains for delayMs, closes, and when that is done the process exits with code 0`, async (t) => {
    const { emit, takeDone, closed } = setUp(t);
    emit(signal, signal);
    t.mock.timers.tick(TIMES.delayMs - 1);
    await settled();
    assert.deepEqual(takeDone(), [['info', 'Stopping', { signal, delayMs: 100 }], 'drains']);
    t.mock.timers.tick(1);
    await settled();
    assert.deepEqual(takeDone(), ['closes', ['info', CLOSING, { timeoutMs: 1000 }]]);
    t.mock.timers.tick(TIMES.timeoutMs - 1);
    closed();
    await settled();
    assert.deepEqual(takeDone(), ['summarizes', ['info', 'Stopped', { connectionsCut: 0 }], 0]);
    t.mock.timers.tick(TIMES.timeoutMs);
    assert.deepEqual(takeDone(), []);
  });
}

test('the connections that are open timeoutMs after that are cut, and the log has their number', async (t) => {
  const { emit, takeDone } = setUp(t);
  emit('SIGTERM', 'SIGTERM');
  t.mock.timers.tick(TIMES.delayMs);
  await settled();
  t.mock.timers.tick(TIMES.timeoutMs - 1);
  await settled();
  assert.equal(takeDone().length, 4);
  t.mock.timers.tick(1);
  await settled();
  assert.deepEqual(takeDone(), ['cuts', 'summarizes', ['info', 'Stopped', { connectionsCut: 3 }], 0]);
});

for (const [first, second] of [['SIGTERM', 'SIGINT'], ['SIGINT', 'SIGTERM'], ['SIGTERM', 'SIGTERM']] as const) {
  test(`${first}, then ${second}: the process exits at once, with code 1`, (t) => {
    const { emit, takeDone } = setUp(t);
    emit(first, first);
    takeDone();
    emit(second, second);
    assert.deepEqual(takeDone(), ['summarizes', ['warn', 'Stopping at once on a second signal', { signal: second }], 1]);
  });
}

test('SIGHUP reads the TLS files again, if there are any, and the log says whether that was possible', (t) => {
  const error = new Error('no such file');
  for (const [reload, line] of [
    [undefined, ['info', 'There are no TLS files to read again.']],
    [() => {}, ['info', 'The TLS files have been read again.']],
    [() => { throw error; }, ['error', 'The TLS files could not be read again; the previous ones stay in use.', { error }]],
  ] as const) {
    const emit = keepListeners(t);
    const logged: unknown[] = [];
    installReloadHandler(reload, (...one) => logged.push(one));
    emit('SIGHUP', 'SIGHUP');
    assert.deepEqual(logged, [line]);
    t.mock.restoreAll();
  }
});
