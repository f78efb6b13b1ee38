// Whatever the split, the load and the transport: handlers get what was sent, and clients the replies to it, in order.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { repliesIn } from '../support/replies.ts';
import { createRandom, type Random } from '../support/random.ts';
import { start, TRANSPORTS } from './start.ts';

const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const CONNECTIONS = 40;
const REQUESTS = 8;
const CONTENTS = ['\r\n\r\n', 'GET / HTTP/1.1\r\nHost: b\r\n\r\n', 'x', '0\r\n\r\n', 'y'.repeat(3_000)] as const;

/** A request with a random way to send content, after random empty lines, and its reply. */
function makeRequest({ below, pick }: Random, path: string) {
  const url = `/${pick(['early', 'now', 'slow', 'parts'])}${path}`;
  const content = Array.from({ length: below(4) }, () => pick(CONTENTS)).join('');
  const reply = url.startsWith('/early') ? url : url + content;
  const lines = ['\r\n'.repeat(below(3)) + `POST ${url} HTTP/1.1`, 'Host: a', `X: ${'z'.repeat(below(3) * 700)}`];
  const head = (...fields: readonly string[]) => [...lines, ...fields, '', ''].join('\r\n');
  if (content === '') return { bytes: head(), reply };
  if (below(2) === 0) return { bytes: head(`Content-Length: ${content.length}`) + content, reply };
  let chunks = '';
  for (let at = 0; at < content.length;) {
    const chunk = content.slice(at, at + 1 + below(content.length));
    chunks += `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
    at += chunk.length;
  }
  return { bytes: `${head('Transfer-Encoding: chunked')}${chunks}0\r\n${pick(['T: u\r\n', ''])}\r\n`, reply };
}

/** Answers with the target and the content: at once, later, in parts, or (`/early`) without it, before it has come. */
async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = '' } = request;
  if (url.startsWith('/early')) return void response.end(url);
  let content = '';
  for await (const part of request) {
    content += String(part);
    if (url.startsWith('/slow')) await iteration();
  }
  if (url.startsWith('/parts')) response.write(url);
  else content = url + content;
  if (url.startsWith('/slow')) await iteration();
  response.end(content);
}

async function sendAll(socket: Socket, bytes: string, { below }: Random): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const length = 1 + (below(3) === 0 ? below(3) : below(4_000));
    socket.write(bytes.slice(at, at + length), 'latin1');
    at += length;
    if (below(3) > 0) await iteration();
  }
}

/** Sends random requests; each must get its reply, whether the client ends its side or waits. */
async function converse(client: Socket, number: number): Promise<void> {
  const random = createRandom(SEED + number);
  const requests = Array.from({ length: REQUESTS }, (_, i) => makeRequest(random, `/${number}/${i}`));
  let received = Buffer.alloc(0);
  client.on('data', (part: Buffer) => {
    received = Buffer.concat([received, part]);
  });
  await sendAll(client, requests.map(({ bytes }) => bytes).join(''), random);
  if (random.below(2) === 0) await once(client.end(), 'end');
  else while (repliesIn(received).replies.length < REQUESTS) await once(client, 'data');
  const { replies, rest } = repliesIn(received);
  assert.deepEqual([replies.map(({ body }) => body), rest.length], [requests.map(({ reply }) => reply), 0]);
  client.destroy();
}

for (const over of TRANSPORTS) {
  const title = `over ${over}, each request arrives as it was sent, and each reply, while others flood (seed ${SEED})`;
  test(title, { timeout: 60_000 }, async (t) => {
    const { open } = await start(t, echo, over);
    const clients: Socket[] = [];
    for (let i = 0; i < CONNECTIONS; i += 1) clients.push((await open('127.0.0.2')).client);
    for (let i = 0; i < 5; i += 1) flood((await open('127.0.0.3')).client.resume());
    await Promise.all(clients.map(converse));
  });
}

function flood(socket: Socket): void {
  if (socket.writable) socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(500), () => setImmediate(flood, socket));
}
