import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test, type TestContext } from 'node:test';
import { ResponseStream } from '../../src/server/response-stream.ts';
import { parseReplies } from '../support/exchange.ts';
import { startPair } from '../support/socket-pair.ts';

/** A stream in front of a server of node's, both ends of its connection, and how many replies have left. */
async function start(t: TestContext) {
  const pair = await startPair(t);
  let left = 0;
  const stream = new ResponseStream(pair.accepted, () => (left += 1));
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 0 }, (message, response) => {
    assert.equal(message.socket, stream);
    stream.respond(response);
  });
  const rejected: Error[] = [];
  server.on('clientError', (error) => rejected.push(error));
  server.emit('connection', stream);
  return { ...pair, stream, rejected, left: () => left };
}

for (const [method, body] of [['GET', 'x'], ['HEAD', ''], ['PUT', 'x'], ['head', 'x']] as const) {
  test(`the response to ${method} has the content ${JSON.stringify(body)}, and is written to the socket`, { timeout: 20_000 }, async (t) => {
    const { client, stream, left } = await start(t);
    const received = new Promise<Buffer>((resolve) => client.once('data', resolve));
    await new Promise(setImmediate);
    stream.ask(method, (response) => response.writeHead(404, ['Content-Length', body === '' ? '0' : '1']).end(body));
    assert.equal(left(), 1, 'the kernel has taken it');
    assert.deepEqual(parseReplies(await received), [{ statusLine: 'HTTP/1.1 404 Not Found', status: 404, headers: [`Content-Length: ${body.length}`, 'Date: now', 'Connection: keep-alive'], body }]);
  });
}

test('node rejects none of the plain requests, however many there are', { timeout: 20_000 }, async (t) => {
  const { client, stream, rejected, left } = await start(t);
  client.resume();
  await new Promise(setImmediate);
  for (let count = 1; count <= 1_000; count += 1) {
    stream.ask(count % 2 === 0 ? 'HEAD' : 'GET', (response) => response.end());
    await new Promise(setImmediate);
    assert.equal(left(), count);
  }
  assert.deepEqual(rejected, []);
});

test('each chunk is a reply, which leaves once; the empty chunk that Node 20 and 22 write behind it is none', { timeout: 20_000 }, async (t) => {
  const { client, accepted, stream, left } = await start(t);
  stream.write('x');
  stream.write('');
  assert.equal(left(), 1);

  stream.write(Buffer.alloc(50_000_000));
  stream.write('');
  assert.ok(accepted.writableLength > 0);
  assert.equal(left(), 1);
  client.resume();
  await new Promise((resolve) => stream.write('', resolve));
  assert.equal(left(), 2);
});

test('a reply that the kernel never takes has not left', { timeout: 20_000 }, async (t) => {
  const { client, accepted, stream, left } = await start(t);
  const closed = new Promise((resolve) => accepted.once('close', resolve));
  stream.write(Buffer.alloc(50_000_000));
  client.resetAndDestroy();
  await closed;
  assert.equal(left(), 0);
});

test('an error of the stream does not end the process', { timeout: 20_000 }, async (t) => {
  const { stream } = await start(t);
  const closed = new Promise((resolve) => stream.once('close', resolve));
  stream.destroy(new Error('It failed.'));
  await closed;
});
