import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { IncomingRequest, type Response } from '../../src/http/incoming-request.ts';
import { http } from '../../src/http/node-http.ts';

/** A request as node's parser makes it of a request line and field lines. */
async function receive(t: TestContext, ...lines: readonly string[]): Promise<IncomingRequest> {
  const server = http.createServer({ IncomingMessage: IncomingRequest, requireHostHeader: false });
  const received = new Promise<IncomingRequest>((resolve) => {
    for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, (message: IncomingRequest, _: Response) => resolve(message));
  });
  server.listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Not a TCP address');
  const socket = connect({ port: address.port, host: '127.0.0.1' });
  t.after(() => {
    socket.destroy();
    server.close();
  });
  socket.write([...lines, '', ''].join('\r\n'));
  return received;
}

test('a request is parsed when it is first asked what it says, and once', async (t) => {
  const message = await receive(t, 'PUT /a?b HTTP/1.1', 'Host: a', 'Content-Length: 5');
  const { parsed } = message;
  const { method, path, query, host, refusalStatus, hasContent, mustBeLast } = parsed;
  assert.deepEqual({ method, path, query, host, refusalStatus, hasContent, mustBeLast }, {
    method: 'PUT', path: '/a', query: 'b', host: 'a', refusalStatus: 0, hasContent: true, mustBeLast: false,
  });
  assert.equal(message.parsed, parsed);
});

test('the fields of a request can be dropped, and what they say is still known', async (t) => {
  const message = await receive(t, 'PUT /a HTTP/1.1', 'Host: a', 'Content-Length: 5', 'X: y');
  assert.equal(message.headers['x'], 'y');
  const { parsed } = message;
  message.forgetFields();
  assert.deepEqual([message.rawHeaders, message.headers, message.parsed], [[], {}, parsed]);
});

test('a message without a method and a target is an illegal request', () => {
  const message = new IncomingRequest(new Socket());
  Object.assign(message, { method: undefined, url: undefined, httpVersion: '1.1', rawHeaders: ['Host', 'a'] });
  const { method, path, refusalStatus } = message.parsed;
  assert.deepEqual([method, path, refusalStatus], ['', '', 400]);
});

for (const [what, lines, headers] of [
  ['content', ['Host: a', 'Content-Length: 5'], { host: 'a', 'content-length': '5' }],
  ['chunks', ['Host: a', 'Transfer-Encoding: chunked'], { host: 'a', 'transfer-encoding': 'chunked' }],
  ['an expectation', ['Host: a', 'X: y', 'Expect: 100-continue'], { host: 'a', x: 'y', expect: '100-continue' }],
  ['another expectation', ['Host: a', 'Expect: tea'], { host: 'a', expect: 'tea' }],
  ['Connection: close', ['Host: a', 'Connection: close'], { host: 'a', connection: 'close' }],
  ['no Host, which is illegal', ['X: y'], { x: 'y' }],
] as const) {
  test(`node sees the fields of a request with ${what}`, async (t) => {
    const message = await receive(t, 'GET / HTTP/1.1', ...lines);
    assert.deepEqual({ ...message.headers }, headers);
  });
}

test('of any other request node needs no field, and gets an object that is shared and empty', async (t) => {
  const { headers } = await receive(t, 'GET / HTTP/1.1', 'Host: a', 'Content-Length: 0', 'X: y');
  assert.deepEqual(headers, {});
  assert.ok(Object.isFrozen(headers));
  assert.equal((await receive(t, 'GET / HTTP/1.1', 'Host: a')).headers, headers);
});

test('a request that comes when its connection has ended is not parsed, and there is nothing of it to be destroyed', () => {
  const socket = new Socket();
  socket.destroy();
  const ignored = new IncomingRequest(socket);
  Object.assign(ignored, { method: 'GET', url: '/', httpVersion: '1.1', rawHeaders: ['Host', 'a', 'Content-Length', '5'] });
  assert.deepEqual(ignored.headers, {});
  assert.equal(ignored.destroy(), ignored);
  assert.equal(ignored.destroyed, false);
});

test('a request that has been parsed is destroyed with its connection', () => {
  const message = new IncomingRequest(new Socket());
  Object.assign(message, { method: 'GET', url: '/', httpVersion: '1.1', rawHeaders: ['Host', 'a'] });
  assert.equal(message.parsed.refusalStatus, 0);
  assert.equal(message.destroy(), message);
  assert.equal(message.destroyed, true);
});
