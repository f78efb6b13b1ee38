import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { createCutOff } from '../../src/http/cut-off.ts';

test('a connection that is cut off is closed at once, and others are read meanwhile', () => {
  const [cut, other] = [new Socket(), new Socket()];
  const { cutOff, countRequest } = createCutOff(3, () => [cut, other]);
  cutOff(cut, 0);
  for (let i = 0; i < 3; i++) countRequest(cut);
  assert.deepEqual([cut.destroyed, other.destroyed, other.isPaused()], [true, false, false]);
});

test('when node keeps too many requests of connections that are cut off, no other is read until all of them have closed', async () => {
  const [first, second, open, paused, closed] = [new Socket(), new Socket(), new Socket(), new Socket(), new Socket()];
  let looks = 0;
  const { cutOff, countRequest } = createCutOff(3, () => {
    looks += 1;
    return [first, second, open, paused, closed];
  });
  paused.pause();
  closed.destroy();
  cutOff(first, 0);
  cutOff(second, 1);
  const states = () => [open, paused, closed].map((socket) => socket.isPaused());
  for (const socket of [first, second]) countRequest(socket);
  assert.deepEqual(states(), [false, true, false]);
  for (let i = 0; i < 3; i++) countRequest(second);
  assert.deepEqual([states(), looks], [[true, true, false], 1]);
  first.once('close', () => assert.deepEqual(states(), [true, true, false]));
  await once(second, 'close');
  assert.deepEqual(states(), [false, true, false]);

  const third = new Socket();
  cutOff(third, 2);
  countRequest(third);
  assert.deepEqual(states(), [false, true, false], 'the requests of connections that have closed do not count any more');
});

test('one connection of which node keeps too many requests is enough for that', () => {
  const [cut, other] = [new Socket(), new Socket()];
  createCutOff(3, () => [cut, other]).cutOff(cut, 4);
  assert.equal(other.isPaused(), true);
});

test('the requests of a connection that has ended in another way do not count', () => {
  const [cut, ended, other] = [new Socket(), new Socket(), new Socket()];
  const { cutOff, countRequest } = createCutOff(0, () => [cut, ended, other]);
  countRequest(ended.destroy());
  cutOff(cut, 0);
  countRequest(ended);
  assert.equal(other.isPaused(), false);
  countRequest(cut);
  assert.equal(other.isPaused(), true);
});

test('the errors that node makes when a connection that is cut off closes have no stack trace; all others have', async () => {
  const before = Error.stackTraceLimit;
  const socket = new Socket();
  let during = -1;
  socket.once('close', () => (during = Error.stackTraceLimit)); // as node, which listens before the cut
  createCutOff(0, () => []).cutOff(socket, 0);
  assert.equal(Error.stackTraceLimit, before);
  await once(socket, 'close');
  assert.deepEqual([during, Error.stackTraceLimit], [0, before]);
});
