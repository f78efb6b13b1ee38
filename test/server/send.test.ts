import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { contentReply, emptyReply, type Reply } from '../../src/http/reply.ts';
import { send, textOf } from '../../src/server/send.ts';
import { parseReplies, requestBytes } from '../support/wire.ts';

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

const limit = { timeout: 20_000 };

test('an ordinary reply has its fields in order, the date, and a connection that stays open', limit, async (t) => {
  const [reply] = parseReplies(await bytesOf(t, (response) => send(response, contentReply(200, 'text/plain', 'Zoë'), false)));
  assert.deepEqual(reply, {
    statusLine: 'HTTP/1.1 200 OK',
    status: 200,
    headers: [
      'Content-Type: text/plain', 'Content-Length: 4', 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff', 'Date: now', 'Connection: keep-alive',
    ],
    body: 'Zoë',
  });
});

test('the last reply by node is the same but for its end: the connection is closed', limit, async (t) => {
  const reply = contentReply(503, 'application/json', '"Zoë"');
  const fields = [...reply.fields];
  const bytes = await bytesOf(t, (response) => send(response, reply, true));
  assert.deepEqual(parseReplies(bytes), parseReplies(Buffer.from(textOf(reply))));
  assert.deepEqual(reply.fields, fields, 'the reply itself, which may be sent again, has not changed');
});

test('the last reply is the same but for its end: the connection is closed', () => {
  assert.deepEqual(parseReplies(Buffer.from(textOf(contentReply(503, 'application/json', '"Zoë"')))), [{
    statusLine: 'HTTP/1.1 503 Service Unavailable',
    status: 503,
    headers: ['Content-Type: application/json', 'Content-Length: 6', 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff', 'Date: now', 'Connection: close'],
    body: '"Zoë"',
  }]);
  assert.match(
    textOf(emptyReply(405, ['Allow', 'GET'])),
    /^HTTP\/1\.1 405 Method Not Allowed\r\nAllow: GET\r\nContent-Length: 0\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\nConnection: close\r\n\r\n$/,
  );
});

test('the date of a last reply is that of the moment', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 20, 10, 15, 30, 999) });
  assert.ok(textOf(emptyReply(204)).includes('\r\nDate: Fri, 20 Nov 2026 10:15:30 GMT\r\n'));
});

test('a reply with a field that would be two lines is not sent', limit, async (t) => {
  const split: Reply = { status: 200, fields: ['X', 'a\r\nSet-Cookie: b', 'Content-Length', '0'], body: '' };
  for (const isLast of [false, true]) {
    const bytes = await bytesOf(t, (response) => {
      assert.throws(() => send(response, split, isLast), { code: 'ERR_INVALID_CHAR' });
      send(response, emptyReply(500), isLast);
    });
    assert.deepEqual(parseReplies(bytes).map((reply) => [reply.status, reply.headers[0]]), [[500, 'Content-Length: 0']]);
  }
  assert.throws(() => textOf(split), { code: 'ERR_INVALID_CHAR' });
  assert.throws(() => textOf({ ...split, fields: ['X Y', 'a'] }), { code: 'ERR_INVALID_HTTP_TOKEN' });
});
