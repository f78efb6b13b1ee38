import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { answer, textOf } from '../../src/http/answer.ts';
import { contentReply, emptyReply, unexpectedProblem, type Handler, type Reply } from '../../src/http/messages.ts';
import { parseReplies } from '../support/exchange.ts';

const request = { method: 'GET', path: '/a', query: 'b', host: 'a', parent: undefined };
const failure = new Error('It failed.');
const untyped = (reply: unknown): Reply => Object(reply); // which the compiler would prevent
const NO_REPLY = 'A handler must return a reply at once: a status that allows content, pairs of fields, and a body.';

for (const [what, handler, ...errors] of [
  ['an error', () => { throw failure; }, failure],
  ['undefined, thrown', () => { throw undefined; }, undefined],
  // A line feed in a field would let a client write a reply of its own.
  ['a field that would be two lines', () => emptyReply(200, ['X', 'a\r\nSet-Cookie: b']), 'ERR_INVALID_CHAR'],
  ['a name that is not a token', () => emptyReply(200, ['A', 'b', 'X:', 'a']), 'ERR_INVALID_HTTP_TOKEN'],
  ['an empty name', () => emptyReply(200, ['A', 'b', '', '']), 'ERR_INVALID_HTTP_TOKEN'],
  ['a field without a value', () => emptyReply(200, ['A', 'b', 'X']), NO_REPLY],
  ['a value that is not a string', () => untyped({ ...emptyReply(200), fields: ['X', undefined] }), NO_REPLY],
  ...['Connection', 'CONTENT-LENGTH', 'date', 'Trailer', 'Transfer-Encoding'].map((name): [string, Handler, string] =>
    [`the field ${name}`, () => emptyReply(200, [name, '1']), `A handler must not set ${name}: the server does, or leaves it out.`]),
  ...[204, 205, 304].map((status): [string, Handler, string] => [`the status ${status}`, () => emptyReply(status), NO_REPLY]),
  ['no reply', () => untyped(undefined), NO_REPLY],
  ['a body that is not a string', () => untyped({ ...emptyReply(200), body: {} }), NO_REPLY],
  ['a status that there is not', () => emptyReply(299), NO_REPLY],
  ['a status that is not a number', () => untyped({ ...emptyReply(200), status: '204' }), NO_REPLY],
  ['a status that is not final', () => emptyReply(101), NO_REPLY],
  ['fields that are no list', () => untyped({ ...emptyReply(200), fields: 'A: b' }), NO_REPLY],
  ['a promise', () => untyped(Promise.resolve(emptyReply(200))), NO_REPLY],
  ['a promise that is rejected', () => untyped(Promise.reject(failure)), NO_REPLY, failure],
] satisfies [string, Handler, ...unknown[]][]) {
  test(`${what} becomes a 500, and is reported`, async () => {
    const reported: unknown[] = [];
    const failed = (error: unknown) => {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      reported.push(code ?? (error instanceof TypeError ? error.message : error));
    };
    assert.deepEqual(answer(request, handler, failed), unexpectedProblem('/a'));
    await iteration();
    assert.deepEqual(reported, errors);
  });
}

test('a reply has its fields, its length in bytes, the date, and whether the connection ends; and to HEAD no content', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 20, 10, 15, 30, 999) });
  const reply = contentReply(200, 'text/plain', 'ü');
  for (const name of ['X-Date', 'Dates']) assert.equal(answer(request, () => emptyReply(200, [name, 'a']), assert.fail).fields[0], name);
  const ofText = ['Content-Type: text/plain', 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff'];
  const headers = [...ofText, 'Content-Length: 2', 'Date: now'];
  for (const isLast of [false, true]) {
    const [parsed] = parseReplies(Buffer.from(textOf(reply, 'GET', isLast)));
    const connection = `Connection: ${isLast ? 'close' : 'keep-alive'}`;
    assert.deepEqual(parsed, { statusLine: 'HTTP/1.1 200 OK', status: 200, headers: [...headers, connection], body: 'ü' });
  }
  assert.equal(`${textOf(reply, 'HEAD', true)}ü`, textOf(reply, 'GET', true));
  const dates = [0, 1, 1000].map((ms) => {
    t.mock.timers.tick(ms);
    return /^Date: (.*)\r$/m.exec(textOf(reply, 'HEAD', false))?.[1];
  });
  assert.deepEqual(dates, [30, 31, 32].map((second) => `Fri, 20 Nov 2026 10:15:${second} GMT`));
});
