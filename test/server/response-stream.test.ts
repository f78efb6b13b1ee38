import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createResponder, ResponseStream } from '../../src/server/response-stream.ts';
import { parseReplies } from '../support/exchange.ts';

const limit = { timeout: 60_000 };

/** Asks for replies with this content, in order. Notes the stream of each response. */
function start() {
  const respond = createResponder();
  const streams = new Set<ServerResponse['socket']>();
  const ask = (body: string, fields: readonly string[] = []) => {
    const { bytes, encoding } = respond('GET', (response) => {
      streams.add(response.socket);
      response.writeHead(404, ['Content-Length', String(body.length), ...fields]).end(body);
    });
    const [reply] = parseReplies(Buffer.from(bytes.toString(), encoding));
    return reply?.body;
  };
  return { respond, streams, ask };
}

test('the response has content, except to HEAD', () => {
  const respond = createResponder();
  for (const [method, content] of [['GET', 'x'], ['HEAD', ''], ['head', 'x']] as const) {
    assert.equal(respond(method, (response) => response.end('x')).bytes.toString().split('\r\n\r\n')[1], content);
  }
});

test('every reply is returned at once, however many there are in an iteration, and last ones among them', limit, async () => {
  const { streams, ask } = start();
  for (let turns = 0; turns < 10; turns += 1) {
    for (let i = 0; i < 100; i += 1) {
      assert.equal(ask(`${turns} ${i}`, i % 3 === 0 ? ['Connection', 'close'] : []), `${turns} ${i}`);
    }
    await turn();
  }
  assert.ok(streams.size <= 100 + 10 * 34, `${streams.size} streams`);
  assert.equal([...streams].filter((stream) => stream?.destroyed).length, 10 * 34, 'that of a last reply is not kept');
});

test('an error of a stream ends nothing, and the next reply gets another stream', limit, async () => {
  const { streams, ask } = start();
  assert.equal(ask('x'), 'x');
  for (const stream of [...streams, new ResponseStream()]) stream?.destroy(new Error('It failed.')); // also where node does not listen
  await turn();
  assert.equal(ask('y'), 'y');
  assert.equal(streams.size, 2);
});

test('replies with a turn between them share a stream, and when nothing is sent, the reply before is not returned', limit, async () => {
  const { respond, streams, ask } = start();
  for (let i = 0; i < 100; i += 1) {
    assert.equal(ask(String(i)), String(i));
    await turn();
  }
  assert.equal(streams.size, 1);
  assert.equal(respond('GET', () => {}).bytes, '');
  assert.equal(ask('y'), 'y');
});
