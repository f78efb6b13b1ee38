// Whatever the split, the load and the transport: handlers get what was sent, and clients the replies to it, in order.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { get } from '../support/exchange.ts';
import { createRandom, type Random } from '../support/random.ts';
import { repliesIn } from '../support/replies.ts';
import { start, TRANSPORTS } from './start.ts';

const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const REQUESTS = 8;
const CONTENTS = ['\r\n\r\n', 'GET / HTTP/1.1\r\nHost: b\r\n\r\n', 'x', '0\r\n\r\n', 'y'.repeat(3_000)] as const;

/** A request with a random way to send content, after random empty lines, and its reply. */
function makeRequest({ below, pick }: Random, path: string) {
  const url = `/${pick(['early', 'now', 'slow', 'parts'])}${path}`;
  const content = Array.from({ length: below(4) }, () => pick(CONTENTS)).join('');
  const parts = new RegExp(`[^]{1,${1 + below(content.length)}}`, 'g');
  const chunks = content.replace(parts, (part) => `${part.length.toString(16)}\r\n${part}\r\n`);
  const [field, body] = content === '' ? ['A: a', ''] : pick([
    [`Content-Length: ${content.length}`, content],
    ['Transfer-Encoding: chunked', `${chunks}0\r\n${pick(['T: u\r\n', ''])}\r\n`],
  ]);
  const lines = [`POST ${url} HTTP/1.1`, 'Host: a', `X: ${'z'.repeat(below(3) * 700)}`, field, '', body];
  return { bytes: '\r\n'.repeat(below(3)) + lines.join('\r\n'), reply: url.startsWith('/early') ? url : url + content };
}

/** Answers with the target and the content: at once, later, in parts, or (`/early`) without it, before it has come. */
async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = '' } = request;
  const content = url.startsWith('/early') ? '' : await text(request);
  if (url.startsWith('/slow')) await iteration();
  if (url.startsWith('/parts')) response.flushHeaders();
  response.end(url + content);
}

/** Sends random requests; each must get its reply, whether the client ends its side or waits. */
async function converse(client: Socket, number: number): Promise<void> {
  const random = createRandom(SEED + number);
  const { below } = random;
  const requests = Array.from({ length: REQUESTS }, (_, i) => makeRequest(random, `/${number}/${i}`));
  const received: Buffer[] = [];
  client.on('data', (part: Buffer) => received.push(part));
  const parse = () => repliesIn(Buffer.concat(received));
  for (let bytes = requests.map((request) => request.bytes).join(''); bytes !== '';) {
    const length = Math.min(1 + below(below(3) === 0 ? 3 : 4_000), Math.max(1, bytes.length - 1)); // the last: 1
    client.write(bytes.slice(0, length), 'latin1');
    bytes = bytes.slice(length);
    if (below(3) > 0) await iteration();
  }
  if (below(2) === 0) await once(client.end(), 'end');
  else while (parse().replies.length < REQUESTS) await once(client, 'data');
  const { replies, rest } = parse();
  assert.deepEqual([replies.map(({ body }) => body), rest.length], [requests.map(({ reply }) => reply), 0]);
  client.destroy();
}

for (const over of TRANSPORTS) {
  test(`over ${over}, each request arrives, and each reply, while others flood (seed ${SEED})`, async (t) => {
    const { open } = await start(t, echo, over, { halfClosed() {} }); // some end their side before the reply
    const clients: Socket[] = [];
    for (let i = 0; i < 40; i += 1) clients.push((await open('127.0.0.2')).client);
    for (let i = 0; i < 5; i += 1) flood((await open('127.0.0.3')).client.resume());
    await Promise.all(clients.map(converse));
  });
}

function flood(socket: Socket): void {
  if (socket.writable) socket.write(get('/').repeat(500), () => setImmediate(flood, socket));
}
