// When a handler is called, and its reply written. Handlers of every kind are in handlers.test.ts, server.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { emptyReply, type Reply } from '../../src/http/reply.ts';
import { HttpRequest } from '../../src/http/request.ts';
import { createSeats } from '../../src/http/seats.ts';
import { Handling } from '../../src/server/handling.ts';

test('a reply that is no promise is written at once, and the next handler has the seat a little later', async () => {
  const request = new HttpRequest({ method: 'GET', path: '/a', query: 'b', host: 'a', headers: {} });
  const seats = createSeats(2);
  seats.take('other', () => {}); // so that who holds one gets no second one
  const failure = new Error('It failed.');
  const seen: unknown[] = [];
  const note = (value: unknown) => seen.push(value);
  const caller = { write: ({ status }: Reply) => note(status), failed: note };
  for (const handler of [() => emptyReply(200), () => { throw failure; }, () => emptyReply(201)]) {
    new Handling(request, { handler, seats }, caller).start(() => 'own');
  }
  for (const expected of [[200], [failure, 500], [201]]) {
    assert.deepEqual(seen.splice(0), expected);
    await nextIteration();
  }
});
