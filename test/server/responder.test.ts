import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { test, type TestContext } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { emptyReply } from '../../src/http/reply.ts';
import { createResponder } from '../../src/server/responder.ts';
import { startServer, use } from '../support/server.ts';
import { liveHeap } from '../support/usage.ts';

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
  const names = [...Array.from({ length: 1_023 }, (_, i) => i), 'x'.repeat(242), 'x'.repeat(243)];
  const heads = ask(...names);
  const headWith = (name: unknown) => heads[0]?.replace('X: 0', `X: ${name}`);
  assert.deepEqual([heads, ask(...names), made()], [names.map(headWith), heads, 1_026]);
  assert.deepEqual([ask(1_024, 1_024, 0), made()], [[1_024, 1_024, 0].map(headWith), 1_028]);
  forgetHeads();
  ask(0);
  assert.equal(made(), 1_029);
});

test('replies with other fields have other heads, and the streams that heads are made with are freed', async () => {
  const { headOf, forgetHeads } = createResponder();
  const fields = [['A', '1', 'B', '2'], ...['?', ':', ',', ' '].map((character) => ['A', ['1', 'B', '2'].join(character)])];
  assert.equal(new Set(fields.map((one) => headOf(emptyReply(200, one), false))).size, fields.length);
  async function makeHeads(): Promise<number> {
    for (let count = 0; count < 1_000; count += 1, forgetHeads()) headOf(emptyReply(200), false);
    await iteration(); // in which the streams close
    return liveHeap();
  }
  const before = await makeHeads();
  const bytes = await makeHeads() - before;
  assert.ok(bytes < 1_500_000, `${bytes} bytes, half of what 1,000 streams take`);
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
