import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, STATUS_CODES, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { unexpectedProblem } from '../../src/http/problem.ts';
import { contentReply, emptyReply, type Handler, type Reply } from '../../src/http/reply.ts';
import { LegalRequest } from '../../src/http/request.ts';
import { answer, refusalText } from '../../src/server/send.ts';
import { NO_REPORTS } from '../support/reports.ts';
import { parseReplies, requestBytes } from '../support/exchange.ts';

const limit = { timeout: 20_000 };
const request = new LegalRequest({ method: 'GET', path: '/a', query: 'b', host: 'a', contentLength: 0, isLast: false, parent: undefined });

/** The bytes that node sends when `respond` is given a response. */
async function bytesOf(t: TestContext, respond: (response: ServerResponse) => void): Promise<Buffer> {
  const server = createServer({ keepAliveTimeout: 0 }, (_, response) => respond(response));
  t.after(() => server.close());
  server.listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Not a TCP address');
  const socket = connect({ port: address.port, host: '127.0.0.1' });
  t.after(() => socket.destroy());
  socket.write(requestBytes('GET', '/', []));
  const [bytes] = await once(socket, 'data');
  return bytes;
}

/** What is sent for what `handler` replies, what is recorded, and what is reported. */
async function answered(t: TestContext, handler: Handler, isLast: boolean) {
  const failures: unknown[] = [];
  const reports = { ...NO_REPORTS, failed: (error: unknown, traceId: string) => failures.push([error, traceId]) };
  const record = { status: undefined, close: () => {} };
  const bytes = await bytesOf(t, (response) => answer(request, response, isLast, record, { handler, reports }));
  return { replies: parseReplies(bytes), status: record.status, failures };
}

const reply = contentReply(503, 'application/json', '"Zoë"');
const sent = (connection: string) => ({
  statusLine: 'HTTP/1.1 503 Service Unavailable',
  status: 503,
  headers: ['Content-Type: application/json', 'Content-Length: 6', 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff', 'Date: now', `Connection: ${connection}`],
  body: '"Zoë"',
});

for (const isLast of [false, true]) {
  test(`${isLast ? 'a last' : 'an ordinary'} reply has its fields in order, the date, and what becomes of the connection`, limit, async (t) => {
    const fields = [...reply.fields];
    const handler: Handler = (asked) => (asked === request ? reply : assert.fail());
    assert.deepEqual(await answered(t, handler, isLast), { replies: [sent(isLast ? 'close' : 'keep-alive')], status: 503, failures: [] });
    assert.deepEqual(reply.fields, fields, 'the reply itself, which may be sent again, has not changed');
  });

  const problem = unexpectedProblem('/a');
  const failed = {
    statusLine: 'HTTP/1.1 500 Internal Server Error',
    status: 500,
    headers: ['Content-Type: application/problem+json', `Content-Length: ${problem.body.length}`, 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff', 'Date: now', `Connection: ${isLast ? 'close' : 'keep-alive'}`],
    body: problem.body,
  };
  for (const thrown of [new Error('It failed.'), undefined, 'text']) {
    test(`what a handler throws (${String(thrown)}) becomes a 500, ${isLast ? 'the last' : 'an ordinary'} one, and is reported with the id of its request`, limit, async (t) => {
      assert.deepEqual(await answered(t, () => { throw thrown; }, isLast), { replies: [failed], status: 500, failures: [[thrown, request.traceparent]] });
    });
  }

  // A line feed in a field would let a client write a reply of its own.
  for (const [what, wrong, code] of [
    ['with a field that would be two lines', { status: 200, fields: ['X', 'a\r\nSet-Cookie: b', 'Content-Length', '0'], body: '' }, 'ERR_INVALID_CHAR'],
    ['with a field name that is no token', { status: 200, fields: ['X Y', 'a'], body: '' }, 'ERR_INVALID_HTTP_TOKEN'],
    ['with a status that is none', { status: 20, fields: [], body: '' }, 'ERR_HTTP_INVALID_STATUS_CODE'],
  ] as const) {
    test(`a reply ${what} becomes a 500, ${isLast ? 'the last' : 'an ordinary'} one`, limit, async (t) => {
      const { failures, ...rest } = await answered(t, () => wrong, isLast);
      assert.deepEqual(rest, { replies: [failed], status: 500 });
      assert.deepEqual(failures.flat().map((error) => (error instanceof Error && 'code' in error ? error.code : error)), [code, request.traceparent]);
    });
  }

  test(`a handler that returns nothing, which the compiler prevents, becomes a 500, ${isLast ? 'the last' : 'an ordinary'} one`, limit, async (t) => {
    const returns: { readonly reply?: Reply } = JSON.parse('{}');
    const handler: Handler = () => Object(returns).reply;
    const { failures, ...rest } = await answered(t, handler, isLast);
    assert.deepEqual([rest, failures.length], [{ replies: [failed], status: 500 }, 1]);
  });
}

test('a refusal is a reply without content, and the last one', () => {
  for (const status of [400, 408, 413, 414, 417, 421, 431, 501, 505]) {
    assert.deepEqual(parseReplies(Buffer.from(refusalText(status))), [{
      statusLine: `HTTP/1.1 ${status} ${STATUS_CODES[status]}`, status, headers: ['Content-Length: 0', 'Date: now', 'Connection: close'], body: '',
    }]);
  }
});

test('the date of a last reply is that of the moment', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 20, 10, 15, 30, 999) });
  assert.equal(refusalText(400), 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nDate: Fri, 20 Nov 2026 10:15:30 GMT\r\nConnection: close\r\n\r\n');
});

test('an empty reply says so', limit, async (t) => {
  const { replies } = await answered(t, () => emptyReply(405, ['Allow', 'GET']), true);
  assert.deepEqual(replies, [{ statusLine: 'HTTP/1.1 405 Method Not Allowed', status: 405, headers: ['Allow: GET', 'Content-Length: 0', 'Date: now', 'Connection: close'], body: '' }]);
});
