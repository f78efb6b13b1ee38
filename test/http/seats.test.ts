// Who gets a seat, and when. What becomes of the handlers is in handlers.test.ts.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { createSeats } from '../../src/http/seats.ts';
import { createRandom } from '../support/random.ts';

type Waiting = { readonly client: string; readonly name: string; readonly leave: () => void };

test('clients take turns for seats, each with its oldest request, and some are left for those that have none', () => {
  const { below, pick } = createRandom(1); // always the same, so that a failure can be repeated
  for (const [count, mostOfOne] of [[1, 1], [2, 1], [3, 2], [5, 4], [8, 6], [13, 10]] as const) {
    const { take, giveBack } = createSeats(count);
    const [running, started]: [string[], string[]] = [[], []]; // clients, and names of requests
    const waiting: Waiting[] = [];
    const line = new Set<string>(); // clients that wait, or have waited; the one whose turn it is in front
    const placeOf = ({ client }: Waiting) => [...line].indexOf(client);
    const goToEnd = (client: string) => {
      line.delete(client);
      line.add(client);
    };
    const mayStart = ({ client }: Waiting) => running.length < (running.includes(client) ? mostOfOne : count);
    for (let step = 0; step < 3_000; step += 1) {
      const what = pick(['end', 'end', 'leave', 'ask', 'ask']);
      if (what === 'end') running.splice(below(running.length + 1), 1).forEach(giveBack);
      else if (what === 'leave') waiting.splice(below(waiting.length + 1), 1).forEach(({ leave }) => leave());
      else {
        const client = pick(['a', 'b', 'c', 'd', 'e']);
        const name = `${client}${step}`;
        if (!waiting.some((one) => one.client === client)) goToEnd(client);
        waiting.push({ client, name, leave: take(client, () => started.push(name)) });
      }
      const expected: string[] = [];
      while (waiting.some(mayStart)) {
        const [next = assert.fail()] = waiting.filter(mayStart).sort((a, b) => placeOf(a) - placeOf(b));
        waiting.splice(waiting.indexOf(next), 1);
        running.push(next.client);
        goToEnd(next.client);
        expected.push(next.name);
      }
      assert.deepEqual(started.splice(0), expected, `${count} seats, step ${step}`);
    }
  }
});

test('who gets a seat is called in its own context, and not in that of who gives it back', () => {
  const { take, giveBack } = createSeats(1);
  const context = new AsyncLocalStorage<string>();
  const stores: unknown[] = [];
  take('a', () => {});
  context.run('own', () => take('b', () => stores.push(context.getStore())));
  context.run('other', giveBack, 'a');
  assert.deepEqual(stores, ['own']);
});
