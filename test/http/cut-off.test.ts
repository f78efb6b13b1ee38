import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { cutOff } from '../../src/http/cut-off.ts';

test('while a connection is being cut, no other is read, and then those are read again that were before', async () => {
  const [cut, open, paused, closed] = [new Socket(), new Socket(), new Socket(), new Socket()];
  paused.pause();
  closed.destroy();
  cutOff(cut, [cut, open, paused, closed]);
  assert.deepEqual([cut.destroyed, open.isPaused(), paused.isPaused(), closed.isPaused()], [true, true, true, false]);
  await once(cut, 'close');
  assert.deepEqual([open.isPaused(), paused.isPaused()], [false, true]);
});

test('two cuts at the same time read again what each of them has paused', async () => {
  const [first, second, open, late] = [new Socket(), new Socket(), new Socket(), new Socket()];
  cutOff(first, [first, second, open]);
  cutOff(second, [second, open, late]);
  first.once('close', () => assert.deepEqual([open.isPaused(), late.isPaused()], [false, true]));
  await once(second, 'close');
  assert.deepEqual([open.isPaused(), late.isPaused()], [false, false]);
});

test('the errors that node makes when a cut connection closes have no stack trace; all others have', async () => {
  const before = Error.stackTraceLimit;
  const socket = new Socket();
  let during = -1;
  socket.once('close', () => (during = Error.stackTraceLimit)); // as node, which listens before the cut
  cutOff(socket, []);
  assert.equal(Error.stackTraceLimit, before);
  await once(socket, 'close');
  assert.deepEqual([during, Error.stackTraceLimit], [0, before]);
});
