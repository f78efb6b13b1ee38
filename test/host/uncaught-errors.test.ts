// That node tells this handler of uncaught errors and unhandled rejections is in unread-log.test.ts and main.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StartError } from '../../src/host/start-error.ts';
import { installUncaughtErrorHandler } from '../../src/host/uncaught-errors.ts';
import { keepListeners } from '../support/listeners.ts';

const boom = new TypeError('boom');
const refused = ['error', 'The service cannot start.'];

for (const [error, lines, exitCode] of [
  [boom, [['fatal', 'The process ends because of an error that nothing caught.', { error: boom }]], 1],
  [7, [['fatal', 'The process ends because of an error that nothing caught.', { error: 7 }]], 1],
  [new StartError(['One.', 'Two.'], 78), [[...refused, { reason: 'One.' }], [...refused, { reason: 'Two.' }]], 78],
  [new StartError(['One.'], 1), [[...refused, { reason: 'One.' }]], 1],
] as const) {
  test(`${String(error)} is logged before the process exits, with code ${exitCode}; of a StartError each reason is one line`, (t) => {
    const emit = keepListeners(t);
    const calls: unknown[] = [];
    installUncaughtErrorHandler((...line) => calls.push(line), (code) => calls.push(code));
    emit('uncaughtException', error);
    assert.deepEqual(calls, [...lines, exitCode]);
  });
}
