// When a reply is written. What becomes of replies and errors of every kind is in server.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { answer } from '../../src/http/answer.ts';
import { emptyReply, unexpectedProblem, type Reply } from '../../src/http/reply.ts';
import { HttpRequest, type Handler } from '../../src/http/request.ts';

const request = new HttpRequest({ method: 'GET', path: '/a', query: 'b', host: 'a', headers: {} });
const reply = emptyReply(200);

test('a reply is written at once, or when its promise is resolved; whatever else happens becomes one 500', async () => {
  for (const [handler, atOnce, expected, ...failures] of [
    [(asked) => (asked === request ? reply : emptyReply(299)), 1, reply],
    [async () => reply, 0, reply],
    [() => { throw undefined; }, 1, unexpectedProblem('/a'), undefined],
    [async () => Promise.reject(reply), 0, unexpectedProblem('/a'), reply],
  ] satisfies [Handler, number, Reply, ...unknown[]][]) {
    const written: Reply[] = [];
    const errors: unknown[] = [];
    answer(handler, request, (one) => written.push(one), (error) => errors.push(error));
    const { length } = written;
    await iteration();
    assert.deepEqual([length, written, errors], [atOnce, [expected], failures]);
  }
});
