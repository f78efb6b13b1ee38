// Who gets a seat, and when. What becomes of the handlers is in handlers.test.ts.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { createSeats } from '../../src/http/seats.ts';

/** So many seats. A request begins with the letter of its client, and is noted when it has a seat. */
function start(count: number) {
  const seats = createSeats(count);
  const seen: string[] = [];
  const ask = (name: string) => seats.take(name.charAt(0), () => seen.push(name));
  /** Handlers of these clients end. Returns who has had a seat since the last call. */
  function end(...clients: readonly string[]) {
    clients.forEach(seats.giveBack);
    return seen.splice(0);
  }
  return { seats, ask, end };
}

test('clients take turns, the oldest request of each comes first, and no more run than there are seats', () => {
  const { ask, end } = start(1);
  for (const name of ['x1', 'a1', 'a2', 'a3', 'b1', 'b2', 'c1']) ask(name);
  assert.deepEqual(end('x', 'a', 'b', 'c'), ['x1', 'a1', 'b1', 'c1', 'a2']);
  ask('c2');
  assert.deepEqual(end('a', 'b', 'a', 'c'), ['b2', 'a3', 'c2']);
  for (const name of ['a4', 'a5']) ask(name);
  assert.deepEqual([end(), end('a')], [['a4'], ['a5']]);
});

test('one client has at most three quarters of the seats; the others get the rest without waiting', () => {
  for (const [count, started, startedLater] of [
    [1, 'a', 'a'], [2, 'ab', 'ac'], [3, 'aab', 'cd'], [7, 'aaaaaab', 'cd'], [8, 'aaaaaabc', 'd'],
    [10, 'aaaaaaaabc', 'd'],
  ] as const) {
    const { ask, end } = start(count);
    for (const name of 'aaaaaaaaaaaabcd') ask(name);
    assert.equal(end().join(''), started);
    assert.equal(end(...started.slice(-2)).join(''), startedLater);
  }
});

test('who leaves gives up its place, and is called in no context but its own', () => {
  const { seats, ask, end } = start(1);
  const [, first, , second] = [ask('x1'), ask('a1'), ask('a2'), ask('b1'), ask('c1')];
  for (const leave of [first, second]) leave?.();
  assert.deepEqual(end('x', 'a', 'c'), ['x1', 'a2', 'c1']);
  const context = new AsyncLocalStorage<string>();
  const stores: unknown[] = [];
  ask('x2');
  context.run('own', () => seats.take('a', () => stores.push(context.getStore())));
  context.run('other', seats.giveBack, 'x');
  assert.deepEqual(stores, ['own']);
});

test('in random runs, who is first of those that may have a seat has it at once', () => {
  let seed = 1;
  const below = (limit: number) => {
    seed = (seed * 48_271) % 0x7fff_ffff;
    return seed % limit;
  };
  for (const [count, reserved] of [[1, 0], [2, 1], [3, 1], [5, 1], [8, 2], [13, 3]] as const) {
    const { ask, end } = start(count);
    const running: string[] = []; // clients, as below
    const waiting: { client: string; name: string; leave: (() => void) | undefined }[] = [];
    const line: string[] = []; // clients that wait, or have waited; the one whose turn it is in front
    function goToEnd(client: string) {
      if (line.includes(client)) line.splice(line.indexOf(client), 1);
      line.push(client);
    }
    const mayHave = (client: string) => running.length < (running.includes(client) ? count - reserved : count);
    for (let step = 0; step < 3_000; step += 1) {
      let ended: readonly string[] = [];
      const what = below(5);
      if (what < 2) ended = running.splice(below(running.length + 1), 1);
      else if (what === 2) waiting.splice(below(waiting.length + 1), 1).forEach(({ leave }) => leave?.());
      else {
        const client = 'abcde'.charAt(below(5));
        if (!waiting.some((one) => one.client === client)) goToEnd(client);
        waiting.push({ client, name: `${client}${step}`, leave: ask(`${client}${step}`) });
      }
      const expected: string[] = [];
      for (;;) {
        const may = waiting.filter(({ client }) => mayHave(client));
        const [next] = may.sort((a, b) => line.indexOf(a.client) - line.indexOf(b.client));
        if (next === undefined) break;
        waiting.splice(waiting.indexOf(next), 1);
        goToEnd(next.client);
        running.push(next.client);
        expected.push(next.name);
      }
      assert.deepEqual(end(...ended), expected, `${count} seats, step ${step}`);
    }
  }
});
