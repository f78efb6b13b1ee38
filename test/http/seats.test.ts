// Who gets a seat, and when. What becomes of the handlers is in handlers.test.ts.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { createSeats, longestSeatWait } from '../../src/http/seats.ts';

/** Two seats, taken; what `ask` asks for is noted when it has a seat. */
function start() {
  const seats = createSeats(2);
  const seen: string[] = [];
  const ask = (name: string) => seats.take(name.slice(0, 1), () => seen.push(name));
  assert.deepEqual([ask('x1'), ask('x2'), seen.splice(0)], [undefined, undefined, ['x1', 'x2']]);
  /** So many handlers end. */
  function end(count: number) {
    for (let i = 0; i < count; i += 1) seats.giveBack();
    return seen.splice(0);
  }
  return { seats, ask, end };
}

test('clients take turns, the oldest request of each comes first, and no more run than there are seats', () => {
  const { ask, end } = start();
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) ask(name);
  assert.deepEqual(end(4), ['a1', 'b1', 'c1', 'a2']);
  ask('c2');
  assert.deepEqual(end(5), ['b2', 'a3', 'c2']);
  for (const name of ['a4', 'a5', 'a6']) ask(name);
  assert.deepEqual([end(0), end(1)], [['a4', 'a5'], ['a6']]);
});

test('who leaves gives up its place, and is called in no context but its own', () => {
  const { seats, ask, end } = start();
  const [first, , second] = [ask('a1'), ask('a2'), ask('b1'), ask('c1')];
  for (const leave of [first, second]) leave?.();
  assert.deepEqual(end(3), ['a2', 'c1']);
  const context = new AsyncLocalStorage<string>();
  const stores: unknown[] = [];
  ask('x3');
  context.run('own', () => seats.take('a', () => stores.push(context.getStore())));
  context.run('other', seats.giveBack);
  assert.deepEqual(stores, ['own']);
});

test('the longest wait for a seat is known once', (t) => {
  const times = [100, 130, 150, 150]; // two are asked for, and then they are free
  t.mock.method(performance, 'now', () => times.shift());
  const { ask, end } = start();
  for (const name of ['a1', 'b1']) ask(name);
  end(2);
  assert.deepEqual([longestSeatWait(), longestSeatWait()], [50, 0]);
});
