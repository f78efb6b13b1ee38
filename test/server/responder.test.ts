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
  const replies = Array.from({ length: 1_025 }, (_, i) => emptyReply(404, ['X', String(i)]));
  const ask = (from: number, to: number) => replies.slice(from, to).map((reply) => headOf(reply, false));
  const heads = ask(0, 1_024);
  assert.equal(new Set(heads).size, 1_024);
  assert.ok(headOf(emptyReply(404, ['X', 'x'.repeat(256)]), false).includes('x'.repeat(256)));
  assert.deepEqual([ask(0, 1_024), made()], [heads, 1_025]);
  ask(1_024, 1_025);
  assert.deepEqual([ask(1_024, 1_025), made()], [[heads[0]?.replace('X: 0', 'X: 1024')], 1_026]);
  ask(0, 1);
  assert.equal(made(), 1_027);
  forgetHeads();
  ask(0, 1);
  assert.equal(made(), 1_028);
});

test('replies that differ in their status, a field, their length or whether they are the last have different heads', () => {
  const { headOf } = createResponder();
  const replies = [[404, []], [405, []], [404, ['A', 'b']], [404, ['A', 'c']], [404, ['A', 'b', 'A', 'c']], [404, ['A', 'b,A,c']]] as const;
  const heads = replies.flatMap(([status, fields]) => [true, false].flatMap((isLast) =>
    ['', 'x'].map((body) => headOf({ ...emptyReply(status, fields), body }, isLast))));
  assert.equal(new Set(heads).size, heads.length);
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
