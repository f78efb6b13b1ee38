import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { IncomingRequest, type Response } from '../../src/http/incoming-request.ts';
import { http } from '../../src/http/node-http.ts';
import { contentReply, emptyReply, type Reply } from '../../src/http/reply.ts';
import { lastReplyText, send } from '../../src/http/send.ts';
import { parseReplies, requestBytes } from '../support/wire.ts';

/** The bytes that node sends when `respond` is given a response. */
async function bytesOf(t: TestContext, respond: (response: Response) => void): Promise<Buffer> {
  const server = http.createServer({ IncomingMessage: IncomingRequest, requireHostHeader: false }, (_, response: Response) => respond(response));
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

test('an ordinary reply has its fields in order, the date, and a connection that stays open', async (t) => {
  const [reply] = parseReplies(await bytesOf(t, (response) => send(response, contentReply(200, 'text/plain', 'Zoë'))));
  assert.deepEqual(reply, {
    statusLine: 'HTTP/1.1 200 OK',
    status: 200,
    headers: [
      'Content-Type: text/plain', 'Content-Length: 4', 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff', 'Date: now', 'Connection: keep-alive', 'Keep-Alive: timeout=5',
    ],
    body: 'Zoë',
  });
});

test('the last reply is the same but for its end: the connection is closed', () => {
  assert.deepEqual(parseReplies(Buffer.from(lastReplyText(contentReply(503, 'application/json', '"Zoë"')))), [{
    statusLine: 'HTTP/1.1 503 Service Unavailable',
    status: 503,
    headers: ['Content-Type: application/json', 'Content-Length: 6', 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff', 'Date: now', 'Connection: close'],
    body: '"Zoë"',
  }]);
  assert.match(
    lastReplyText(emptyReply(405, ['Allow', 'GET'])),
    /^HTTP\/1\.1 405 Method Not Allowed\r\nAllow: GET\r\nContent-Length: 0\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\nConnection: close\r\n\r\n$/,
  );
});

test('the date of a last reply is that of the moment', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 20, 10, 15, 30, 999) });
  assert.ok(lastReplyText(emptyReply(204)).includes('\r\nDate: Fri, 20 Nov 2026 10:15:30 GMT\r\n'));
});

test('node refuses an ordinary reply with a field that would be two lines', async (t) => {
  const split: Reply = { status: 200, fields: ['X', 'a\r\nSet-Cookie: b', 'Content-Length', '0'], body: '' };
  const bytes = await bytesOf(t, (response) => {
    assert.throws(() => send(response, split), { code: 'ERR_INVALID_CHAR' });
    send(response, emptyReply(500));
  });
  assert.deepEqual(parseReplies(bytes).map((reply) => [reply.status, reply.headers[0]]), [[500, 'Content-Length: 0']]);
});
