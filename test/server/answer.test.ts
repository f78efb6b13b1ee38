import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unexpectedProblem } from '../../src/http/problem.ts';
import { contentReply, emptyReply, type Handler } from '../../src/http/reply.ts';
import { LegalRequest } from '../../src/http/request.ts';
import { createResponder } from '../../src/server/responder.ts';
import { answer } from '../../src/server/answer.ts';
import { parseReplies } from '../support/exchange.ts';
import { NO_REPORTS } from '../support/service.ts';

const says = { method: 'GET', path: '/a', query: 'b', host: 'a', contentLength: 0, isLast: false, parent: undefined };
const request = new LegalRequest(says);
const responder = createResponder();

/** What is sent and recorded for the reply of `handler`, and what is reported: the code of the error, or the value thrown. */
function answered(handler: Handler, isLast: boolean) {
  const failures: unknown[] = [];
  const failed = (error: unknown, traceId: string) => {
    failures.push([error instanceof Error && 'code' in error ? error.code : error, traceId]);
  };
  const reports = { ...NO_REPORTS, failed };
  const { status, text } = answer(request, isLast, { handler, reports, responder });
  return { replies: parseReplies(Buffer.from(text)), status, failures };
}

const problem = unexpectedProblem('/a');
const failure = new Error('It failed.');

for (const isLast of [false, true]) {
  const connection = `Connection: ${isLast ? 'close' : 'keep-alive'}`;
  const ends = [`Content-Length: ${problem.body.length}`, 'Date: now', connection];
  const which = isLast ? 'a last' : 'an ordinary';

  const kind = ['Content-Type: application/problem+json', 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff'];
  const headers = [...kind, ...ends];
  const replies = [{ statusLine: 'HTTP/1.1 500 Internal Server Error', status: 500, headers, body: problem.body }];
  for (const [what, handler, error] of [
    ['an error', () => { throw failure; }, failure],
    ['undefined, thrown', () => { throw undefined; }, undefined],
    // A line feed in a field would let a client write a reply of its own.
    ['a field that would be two lines', () => emptyReply(200, ['X', 'a\r\nSet-Cookie: b']), 'ERR_INVALID_CHAR'],
    ['a body that is not a string', () => ({ ...emptyReply(200), body: JSON.parse('{}') }), 'ERR_INVALID_ARG_TYPE'],
  ] satisfies [string, Handler, unknown][]) {
    test(`${what} becomes ${which} reply with 500, and is reported with the id of its request`, () => {
      assert.deepEqual(answered(handler, isLast), { replies, status: 500, failures: [[error, request.traceparent]] });
    });
  }
}

test('a reply has content, except to HEAD', () => {
  const reply = contentReply(200, 'text/plain', 'x');
  const [get, head, other] = ['GET', 'HEAD', 'head'].map((method) =>
    answer(new LegalRequest({ ...says, method }), false, { handler: () => reply, reports: NO_REPORTS, responder }).text);
  assert.deepEqual([get, other], [`${head}x`, get]);
});
