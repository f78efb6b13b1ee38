import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createResponder } from '../../src/server/response-stream.ts';
import { parseReplies } from '../support/exchange.ts';
import { requestStarts } from '../support/request-start.ts';

const limit = { timeout: 20_000 };

const reply = (body: string, fields: readonly string[] = []) => (response: ServerResponse) => {
  response.writeHead(404, ['Content-Length', String(body.length), ...fields]).end(body);
};

/** The bodies of the replies in what `createResponder` has returned. */
function bodiesIn({ bytes, encoding }: ReturnType<ReturnType<typeof createResponder>>): string[] {
  return parseReplies(Buffer.from(bytes.toString(), encoding)).map(({ body }) => body);
}

for (const [method, body] of [['GET', 'x'], ['HEAD', ''], ['PUT', 'x'], ['head', 'x']] as const) {
  test(`the response to ${method} has the content ${JSON.stringify(body)}, and is returned at once`, limit, () => {
    const respond = createResponder();
    const { bytes, encoding } = respond(method, reply(body));
    assert.deepEqual(parseReplies(Buffer.from(bytes.toString(), encoding)), [{
      statusLine: 'HTTP/1.1 404 Not Found', status: 404,
      headers: [`Content-Length: ${body.length}`, 'Date: now', 'Connection: keep-alive'], body,
    }]);
  });
}

test('every reply is returned at once, however many there are in a turn of the event loop, and last ones among them', limit, async (t) => {
  const starts = requestStarts(t);
  const respond = createResponder();
  for (let turns = 0; turns < 10; turns += 1) {
    for (let i = 0; i < 100; i += 1) {
      assert.deepEqual(bodiesIn(respond('GET', reply(`${turns} ${i}`, i % 3 === 0 ? ['Connection', 'close'] : []))), [`${turns} ${i}`]);
    }
    await turn();
  }
  const sockets = new Set(starts.map(({ socket }) => socket));
  assert.ok(sockets.size <= 100 + 10 * 34, `${sockets.size} streams`);
  assert.equal([...sockets].filter((socket) => socket instanceof Duplex && socket.destroyed).length, 10 * 34, 'that of a last reply is not kept');
});

test('replies with a turn between them share a stream', limit, async (t) => {
  const starts = requestStarts(t);
  const respond = createResponder();
  for (let i = 0; i < 1_000; i += 1) {
    assert.deepEqual(bodiesIn(respond('GET', reply(String(i)))), [String(i)]);
    await turn();
  }
  assert.equal(new Set(starts.map(({ socket }) => socket)).size, 1);
});

test('when nothing is sent, nothing is returned, and above all not the reply before', limit, async () => {
  const respond = createResponder();
  assert.deepEqual(bodiesIn(respond('GET', reply('x'))), ['x']);
  await turn();
  assert.equal(respond('GET', () => {}).bytes, '');
  assert.deepEqual(bodiesIn(respond('GET', reply('y'))), ['y']);
});
