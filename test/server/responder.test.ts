import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { test, type TestContext } from 'node:test';
import { emptyReply } from '../../src/http/reply.ts';
import { createResponder } from '../../src/server/responder.ts';
import { startServer, use } from '../support/server.ts';

/** Counts the requests that node has been given. https://nodejs.org/api/diagnostics_channel.html#event-httpserverrequeststart */
function countRequests(t: TestContext): () => number {
  let count = 0;
  const add = () => { count += 1; };
  subscribe('http.server.request.start', add);
  t.after(() => unsubscribe('http.server.request.start', add));
  return () => count;
}

test('the head of a reply is made once, until it is forgotten or 1,024 others have been made, unless it is long', (t) => {
  const made = countRequests(t);
  const { headOf, forgetHeads } = createResponder();
  const ask = (...names: readonly unknown[]) => names.map((name) => headOf(emptyReply(404, ['X', String(name)]), false));
  const names = [...Array.from({ length: 1_024 }, (_, i) => i), 'x'.repeat(256)];
  const heads = ask(...names);
  assert.deepEqual([new Set(heads).size, ask(...names), made()], [1_025, heads, 1_026]);
  assert.deepEqual([ask(1_024, 1_024, 0), made()], [[1_024, 1_024, 0].map((name) => heads[0]?.replace('X: 0', `X: ${name}`)), 1_028]);
  forgetHeads();
  ask(0);
  assert.equal(made(), 1_029);
});

test('a server forgets the heads of its replies every second, because of their date', { timeout: 60_000 }, async (t) => {
  const { open, pass } = await startServer(t);
  const made = countRequests(t);
  const pair = await open();
  for (const count of [1, 1, 2]) {
    if (count === 2) pass(1);
    await use(pair);
    assert.equal(made(), count);
  }
});
