import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createCutOff } from '../../src/http/cut-off.ts';

/** A stream that closes, as a socket does, some time after it has been destroyed. */
const newSocket = () => new Duplex({ read() {}, destroy: (error, closed) => void setImmediate(closed, error) });
const tick = () => new Promise<void>((resolve) => process.nextTick(resolve));

test('a connection that is cut off is closed at once, and others are read meanwhile', async () => {
  const [cut, other] = [newSocket(), newSocket()];
  const { cutOff, countRequest } = createCutOff(3, () => [cut, other]);
  cutOff(cut, 0);
  for (let i = 0; i < 3; i++) countRequest(cut);
  await tick();
  assert.deepEqual([cut.destroyed, other.destroyed, other.isPaused()], [true, false, false]);
});

test('when node keeps too many requests of connections that are cut off, no other is read until all of them have closed', async () => {
  const [first, second, open, paused, closed] = [newSocket(), newSocket(), newSocket(), newSocket(), newSocket()];
  let looks = 0;
  const { cutOff, countRequest } = createCutOff(3, () => {
    looks += 1;
    return [first, second, open, paused, closed];
  });
  const states = () => [open, paused, closed].map((socket) => socket.isPaused());
  paused.pause();
  closed.destroy();
  cutOff(first, 0);
  cutOff(second, 1);
  for (const socket of [first, second]) countRequest(socket);
  await tick();
  assert.deepEqual([states(), looks], [[false, true, false], 0]);
  for (let i = 0; i < 3; i++) countRequest(second);
  await tick();
  assert.deepEqual([states(), looks], [[true, true, false], 1]);
  first.once('close', () => assert.deepEqual(states(), [true, true, false]));
  await once(second, 'close');
  assert.deepEqual(states(), [false, true, false]);

  const third = newSocket();
  cutOff(third, 2);
  countRequest(third);
  await tick();
  assert.deepEqual(states(), [false, true, false], 'the requests of connections that have closed do not count any more');
});

test('one connection of which node keeps too many requests is enough for that', async () => {
  const [cut, other] = [newSocket(), newSocket()];
  createCutOff(3, () => [cut, other]).cutOff(cut, 4);
  await tick();
  assert.equal(other.isPaused(), true);
  await once(cut, 'close');
  assert.equal(other.isPaused(), false);
});

test('a connection that node pauses while it parses is not resumed', async () => {
  const [cut, parsed] = [newSocket(), newSocket()];
  createCutOff(0, () => [cut, parsed]).cutOff(cut, 1);
  parsed.pause(); // in the parse that is running
  await once(cut, 'close');
  await turn();
  assert.equal(parsed.isPaused(), true);
});

test('a connection that node resumes, and pauses again itself, is not resumed', async () => {
  const [cut, arriving, other] = [newSocket(), newSocket(), newSocket()];
  createCutOff(0, () => [cut, arriving, other]).cutOff(cut, 1);
  await tick();
  arriving.resume(); // content is arriving on it
  arriving.pause();
  await once(cut, 'close');
  assert.deepEqual([arriving.isPaused(), other.isPaused()], [true, false]);
  assert.equal(other.listenerCount('pause'), 0);
});

test('nothing is paused when all connections that were cut off have closed meanwhile', async () => {
  const [cut, other] = [newSocket(), newSocket()];
  const { cutOff, countRequest } = createCutOff(0, () => [cut, other]);
  cutOff(cut, 0);
  cut.prependListener('close', () => countRequest(cut));
  await once(cut, 'close');
  await turn();
  assert.equal(other.isPaused(), false);
});

test('the requests of a connection that has ended in another way do not count', async () => {
  const [cut, ended, other] = [newSocket(), newSocket(), newSocket()];
  const { cutOff, countRequest } = createCutOff(0, () => [cut, ended, other]);
  countRequest(ended.destroy());
  cutOff(cut, 0);
  countRequest(ended);
  await tick();
  assert.equal(other.isPaused(), false);
});

test('the errors that node makes when a connection that is cut off closes have no stack trace; all others have', async () => {
  const before = Error.stackTraceLimit;
  const socket = newSocket();
  let during = -1;
  socket.once('close', () => (during = Error.stackTraceLimit)); // as node, which listens before the cut
  createCutOff(0, () => []).cutOff(socket, 0);
  assert.equal(Error.stackTraceLimit, before);
  await once(socket, 'close');
  assert.deepEqual([during, Error.stackTraceLimit], [0, before]);
});

test('the connections that were paused are resumed in turn from either end, so that neither end makes the other wait', async () => {
  const sockets = [newSocket(), newSocket(), newSocket()];
  const { cutOff } = createCutOff(0, () => sockets);
  const order: number[] = [];
  sockets.forEach((socket, i) => socket.on('data', () => {}).on('resume', () => order.push(i)));
  await tick();
  for (const expected of [[2, 1, 0], [0, 1, 2], [2, 1, 0]]) {
    order.length = 0;
    const cut = newSocket();
    cutOff(cut, 1);
    await once(cut, 'close');
    await turn();
    assert.deepEqual(order, expected);
  }
});
