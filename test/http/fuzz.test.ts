// A few thousand requests, each legal in some part and mutated in others. Whatever arrives: the replies are
// well-formed, no more than could have been asked for, and the service goes on as if nothing had been.
//
// A failure names its seed; FUZZ_SEED=<seed> runs the same requests again. FUZZ_COUNT asks for more of them.
import assert from 'node:assert/strict';
import { connect, type Server } from 'node:net';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startService } from '../support/service.ts';
import { exchangeOn, request, type Exchange } from '../support/wire.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const count = Number(process.env['FUZZ_COUNT'] ?? 4000);
const AT_ONCE = 8;

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function randomNumbers(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const METHODS = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS', 'CONNECT', 'BREW', 'PRI', 'get', ''];
const TARGETS = ['/health', '/api/greetings', '/api/greetings?name=Ada', '/api/greetings?name=', '/nope', '*', 'http://a/health', 'a:80', '//', '/%', '/\\'];
const VERSIONS = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.2', ''];
const FIELDS = [
  'Host: a', 'Host: a', 'Host: b', 'Host:', 'Host: [::1]:80', 'Content-Length: 3', 'Content-Length: 03', 'Content-Length: 70000', 'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip', 'Expect: 100-continue', 'Expect: tea', 'Connection: close', 'Connection: keep-alive', 'Connection: Upgrade', 'Upgrade: h2c',
  'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'X: y', ' folded', 'X', ': y', `X: ${'z'.repeat(9000)}`, 'Cookie: a=b',
];
const CONTENTS = ['', '', '', 'abc', '3\r\nabc\r\n0\r\n\r\n', '3\r\nabcd\r\n', 'z\r\n', '0\r\nX: y\r\n\r\n', 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n'];
const NOISE = ['\0', '\r', '\n', '\r\n', ' ', '\t', ':', '%', '\xff', '\x7f', '/', '?', '#', 'A', '0', ','];

/** One to three requests on one connection, and then some bytes of them changed, dropped or repeated. */
function makeBytes(random: () => number): { readonly bytes: string; readonly atMost: number } {
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? '';
  let bytes = '';
  for (let requests = Math.ceil(random() * 3); requests > 0; requests--) {
    const fields = Array.from({ length: Math.floor(random() * 5) }, () => pick(FIELDS));
    const host = random() < 0.8 ? ['Host: a'] : [];
    bytes += [`${pick(METHODS)} ${pick(TARGETS)} ${pick(VERSIONS)}`, ...host, ...fields, '', ''].join('\r\n') + pick(CONTENTS);
  }
  for (let mutations = Math.floor(random() * 4); mutations > 0; mutations--) {
    const at = Math.floor(random() * bytes.length);
    const length = Math.floor(random() ** 4 * 20);
    const inserted = random() < 0.5 ? pick(NOISE) : bytes.slice(at, at + Math.floor(random() * 40));
    bytes = bytes.slice(0, at) + inserted + bytes.slice(at + length);
  }
  // Every request that is answered has a line of its own, and one more reply may refuse the rest.
  return { bytes, atMost: bytes.split('\n').length + 1 };
}

const STATUSES = new Set([200, 400, 404, 405, 408, 413, 417, 431, 505]);

function assertWellFormed({ replies }: Exchange, atMost: number): void {
  assert.ok(replies.length <= atMost, `${replies.length} replies`);
  replies.forEach(({ status, headers, body }, i) => {
    assert.ok(STATUSES.has(status), `status ${status}`);
    const isLast = headers.includes('Connection: close');
    assert.ok(!isLast || i === replies.length - 1, 'nothing comes after the last reply');
    assert.ok(isLast || headers.includes('Connection: keep-alive'));
    assert.equal(headers.filter((header) => header === 'Date: now').length, 1);
    assert.equal(body === '', ![200, 400].includes(status) || !headers.some((header) => header.startsWith('Content-Type: ')));
  });
}

setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

/** Bytes of heap in use once all connections have ended and what they left has been collected. */
async function heapAtRest(server: Server): Promise<number> {
  const connections = promisify(server.getConnections.bind(server));
  while ((await connections()) > 0) await new Promise((resolve) => setImmediate(resolve));
  if (typeof collectGarbage === 'function') collectGarbage();
  return process.memoryUsage().heapUsed;
}

test(`${count} mutated requests leave the service as it was (seed ${seed})`, async (t) => {
  const { port, server, reported } = await startService(t);
  const random = randomNumbers(seed);
  let sent = 0;
  async function attack(): Promise<void> {
    while (sent < count) {
      sent += 1;
      const number = sent;
      const { bytes, atMost } = makeBytes(random);
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.setTimeout(5_000, () => socket.destroy(new Error('nothing happens for 5 s')));
      const exchange = exchangeOn(socket, bytes);
      socket.end(); // no more will come: what is incomplete is refused now
      try {
        assertWellFormed(await exchange, atMost);
      } catch (error) {
        assert.fail(`Seed ${seed}, request ${number}, ${JSON.stringify(bytes)}: ${String(error)}`);
      }
    }
  }
  async function run(): Promise<void> {
    await Promise.all(Array.from({ length: AT_ONCE }, attack));
  }
  await run();
  const before = await heapAtRest(server);
  sent = 0;
  await run();
  const growth = (await heapAtRest(server)) - before;
  assert.ok(growth < 1_000_000, `${growth} bytes of heap stay after ${count} more requests`);
  assert.deepEqual(reported, []);
  assert.equal((await request(port, 'GET', '/health')).body, 'Healthy');
});
