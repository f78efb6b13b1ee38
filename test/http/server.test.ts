// Time and numbers are bounded, whatever the client does.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { startService, type ServiceOptions } from '../support/service.ts';
import { exchange, exchangeOn, parseReplies, request, requestBytes } from '../support/wire.ts';

async function startHttp(t: TestContext, options: ServiceOptions = {}) {
  const service = await startService(t, options);
  if (!(service.server instanceof Server)) return assert.fail('not a node:http server');
  return { ...service, server: service.server };
}

/** Everything that the server sends until it ends the connection. */
async function readToEnd(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const closing = { headers: ['Content-Length: 0', 'Date: now', 'Connection: close'], body: '' };

test('the limits are: headers in 10 s, a request in 15 s, checked every second; headers of 16 KiB, none dropped', async (t) => {
  const { server } = await startHttp(t, { keepAliveTimeoutMs: 1234 });
  assert.equal(server.headersTimeout, 10_000);
  assert.equal(server.requestTimeout, 15_000);
  assert.equal(server.keepAliveTimeout, 1234, "a short idle time is node's to keep, a longer one is seen to once a second");
  assert.equal(server.maxHeadersCount, 0);
  const { connectionsCheckingInterval, maxHeaderSize } = { connectionsCheckingInterval: 0, maxHeaderSize: 0, ...server };
  assert.deepEqual([connectionsCheckingInterval, maxHeaderSize], [1000, 16_384]);
});

for (const [what, bytes] of [
  ['that sends nothing', ''],
  ['that does not end its headers', 'GET /health HTTP/1.1\r\nHost: a\r\nX'],
  ['that does not end its content', 'POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc'],
] as const) {
  test(`a client ${what} gets 408 when its time is over, and others are served meanwhile`, async (t) => {
    const { server, port, refusals } = await startHttp(t);
    server.headersTimeout = 100; // the rule is the same with the real 10 and 15 s
    server.requestTimeout = 200;
    const slow = exchange(port, bytes);
    assert.equal((await request(port, 'GET', '/health')).status, 200);
    const { replies, ended } = await slow;
    assert.deepEqual(replies, [{ statusLine: 'HTTP/1.1 408 Request Timeout', status: 408, ...closing }]);
    assert.ok(ended);
    assert.deepEqual(refusals, [408]);
  });
}

test('a client that sends a byte at a time is not given more time for it', async (t) => {
  const { server, port } = await startHttp(t);
  server.headersTimeout = 300;
  const socket = connect({ port, host: '127.0.0.1' });
  const drip = setInterval(() => socket.write('x'), 20);
  socket.write('GET /health HTTP/1.1\r\nX: ');
  const replies = parseReplies(await readToEnd(socket));
  clearInterval(drip);
  assert.deepEqual(replies.map((reply) => reply.status), [408]);
});

test('an idle connection is closed after the idle time, without a word', async (t) => {
  const { port } = await startHttp(t, { keepAliveTimeoutMs: 50 });
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(requestBytes('GET', '/health', []));
  const [reply] = parseReplies(await readToEnd(socket));
  assert.deepEqual([reply?.status, reply?.headers.slice(-2)], [200, ['Date: now', 'Connection: keep-alive']]);
});

test('a refused client may send on for a while, so that the refusal arrives, and is cut off then', async (t) => {
  const { port } = await startHttp(t);
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.on('error', () => {}); // being cut off
  socket.write('POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n');
  const flood = setInterval(() => socket.write(Buffer.alloc(100_000)), 5);
  const replies = parseReplies(await readToEnd(socket));
  assert.deepEqual(replies, [{ statusLine: 'HTTP/1.1 413 Payload Too Large', status: 413, ...closing }]);
  await closed;
  clearInterval(flood);
});

test('what a refused client sends on is not parsed', async (t) => {
  const { port } = await startHttp(t);
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.write('nonsense\r\n\r\n');
  const bytes = readToEnd(socket);
  await once(socket, 'end');
  socket.end(requestBytes('GET', '/health') + 'nonsense\r\n\r\n');
  assert.deepEqual(parseReplies(await bytes).map((reply) => reply.status), [400]);
});

test('a client that closes its side in the middle of a request is told so', async (t) => {
  const { port } = await startHttp(t);
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.end('GET /health HTTP/1.1\r\nHo');
  assert.deepEqual(parseReplies(await readToEnd(socket)).map((reply) => reply.status), [400]);
});

test('a client that closes its side after its request is answered', async (t) => {
  const { port } = await startHttp(t);
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.end(requestBytes('GET', '/health', []));
  assert.deepEqual(parseReplies(await readToEnd(socket)).map((reply) => reply.body), ['Healthy']);
});

test('a client that resets its connection is no error of ours', async (t) => {
  const { server, port, refusals, reported } = await startHttp(t);
  for (const bytes of ['', 'GET /hea', 'POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\na', 'nonsense\r\n\r\n']) {
    const connected = once(server, 'connection');
    const socket = connect({ port, host: '127.0.0.1' });
    const [accepted] = await connected;
    socket.write(bytes);
    await request(port, 'GET', '/health');
    const closed = new Promise((resolve) => accepted.on('close', resolve));
    socket.resetAndDestroy();
    await closed;
  }
  assert.deepEqual([refusals, reported], [[400], []]);
});

test('a refusal after many pipelined requests comes after all of their replies', async (t) => {
  const { port } = await startHttp(t);
  const requests = requestBytes('GET', '/health', []).repeat(200);
  for (const refused of ['nonsense\r\n\r\n', 'GET /health HTTP/1.1\r\n\r\n', 'GET /health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nz']) {
    const { replies } = await exchange(port, requests + refused + requestBytes('GET', '/health'));
    assert.deepEqual(replies.map((reply) => reply.status), [...Array.from({ length: 200 }, () => 200), 400]);
  }
});

test('a refusal does not wait for a reply that has been sent long ago', async (t) => {
  const { port } = await startHttp(t);
  const socket = connect({ port, host: '127.0.0.1' });
  const withContent = 'GET /health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
  socket.write(`${withContent}1\r\nx\r\n0\r\n\r\n${withContent}`);
  const [first] = await once(socket, 'data');
  assert.deepEqual(parseReplies(first).map((reply) => reply.status), [200]);
  const { replies } = await exchangeOn(socket, 'z');
  assert.deepEqual(replies.map((reply) => reply.status), [400]);
});

test('content that arrives in pieces is waited for', async (t) => {
  const { port, server } = await startHttp(t);
  const socket = connect({ port, host: '127.0.0.1' });
  const requested = once(server, 'request');
  socket.write('GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nab');
  const [, response] = await requested;
  await request(port, 'GET', '/health');
  assert.equal(response.headersSent, false);
  const { replies } = await exchangeOn(socket, 'cde');
  assert.deepEqual(replies.map((reply) => reply.body), ['Healthy']);
});

test('a client that reads no replies holds little memory, and is cut off', async (t) => {
  const { server, port } = await startHttp(t);
  const accepted = once(server, 'connection');
  const socket = connect({ port, host: '127.0.0.1' });
  const [connection] = await accepted;
  const closed = once(connection, 'close');
  socket.on('error', () => {}); // being cut off
  socket.pause();
  const requests = requestBytes('GET', '/health', []).repeat(500);
  while (connection.timeout !== 15_000) {
    if (socket.writableLength === 0) socket.write(requests);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(connection.writableLength > 0 && connection.writableLength < 1_000_000, `${connection.writableLength} bytes wait`);
  connection.emit('timeout'); // as the 15 s would
  await closed;
});

test('a request after the last one on its connection is not even asked about', async (t) => {
  let asked = 0;
  const { port } = await startService(t, { now: () => ++asked });
  const { replies } = await exchange(port, requestBytes('GET', '/api/greetings') + requestBytes('GET', '/api/greetings'));
  assert.deepEqual([replies.length, asked], [1, 1]);
});

test('malformed content is refused after the reply to the content before it', async (t) => {
  const { port } = await startService(t);
  const withContent = 'GET /health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
  const { replies } = await exchange(port, `${withContent}1\r\nx\r\n0\r\n\r\n${withContent}z`);
  assert.deepEqual(replies.map((reply) => reply.status), [200, 400]);
});

test('content without an end is refused once, however much of it comes', async (t) => {
  const { port, refusals } = await startService(t);
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
  const { replies } = await exchange(port, `POST /health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}`);
  assert.deepEqual([replies.map((reply) => reply.status), refusals], [[413], [413]]);
});

test('an unexpected error is the last reply on its connection where any other would be', async (t) => {
  const { port, app } = await startService(t, { now: () => Number.NaN });
  async function repliesTo(fields: readonly string[]) {
    const { replies } = await exchange(port, requestBytes('GET', '/api/greetings', fields) + requestBytes('GET', '/nope'));
    return replies.map(({ status, headers }) => [status, headers.at(-1)]);
  }
  assert.deepEqual(await repliesTo([]), [[500, 'Connection: keep-alive'], [404, 'Connection: close']]);
  assert.deepEqual(await repliesTo(['Expect: 100-continue']), [[500, 'Connection: close']]);
  app.startDraining();
  assert.deepEqual(await repliesTo([]), [[500, 'Connection: close']]);
});
