import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createResponder } from '../../src/server/response-stream.ts';
import { parseReplies } from '../support/exchange.ts';

const limit = { timeout: 60_000 };

/** Asks for replies with this content, in order. Notes the stream of each response. */
function start() {
  const respond = createResponder();
  const streams = new Set<ServerResponse['socket']>();
  const ask = (body: string, method = 'GET', fields: readonly string[] = []) => {
    const { bytes, encoding } = respond(method, (response) => {
      streams.add(response.socket);
      response.writeHead(404, ['Content-Length', String(body.length), ...fields]).end(body);
    });
    return parseReplies(Buffer.from(bytes.toString(), encoding));
  };
  return { respond, streams, ask };
}
const bodyOf = ([reply]: ReturnType<typeof parseReplies>) => reply?.body;

for (const [method, body] of [['GET', 'x'], ['HEAD', ''], ['PUT', 'x'], ['head', 'x']] as const) {
  test(`the response to ${method} has the content ${JSON.stringify(body)}, and is returned at once`, limit, () => {
    const headers = [`Content-Length: ${body.length}`, 'Date: now', 'Connection: keep-alive'];
    assert.deepEqual(start().ask(body, method), [{ statusLine: 'HTTP/1.1 404 Not Found', status: 404, headers, body }]);
  });
}

test('every reply is returned at once, however many there are in a turn of the event loop, and last ones among them', limit, async () => {
  const { streams, ask } = start();
  for (let turns = 0; turns < 10; turns += 1) {
    for (let i = 0; i < 100; i += 1) {
      assert.equal(bodyOf(ask(`${turns} ${i}`, 'GET', i % 3 === 0 ? ['Connection', 'close'] : [])), `${turns} ${i}`);
    }
    await turn();
  }
  assert.ok(streams.size <= 100 + 10 * 34, `${streams.size} streams`);
  assert.equal([...streams].filter((stream) => stream?.destroyed).length, 10 * 34, 'that of a last reply is not kept');
});

test('replies with a turn between them share a stream', limit, async () => {
  const { streams, ask } = start();
  for (let i = 0; i < 100; i += 1) {
    assert.equal(bodyOf(ask(String(i))), String(i));
    await turn();
  }
  assert.equal(streams.size, 1);
});

test('when nothing is sent, nothing is returned, and above all not the reply before', limit, async () => {
  const { respond, ask } = start();
  assert.equal(bodyOf(ask('x')), 'x');
  await turn();
  assert.equal(respond('GET', () => {}).bytes, '');
  assert.equal(bodyOf(ask('y')), 'y');
});
