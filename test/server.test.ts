// The server over real sockets, with turns and without: handlers of every kind, content, refusals, time limits, the end
// of connections, and what is reported. What each reply says is in the contract.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { STATUS_CODES } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import { setImmediate as iteration, setTimeout as wait } from 'node:timers/promises';
import { connect as connectTls, type SecureContextOptions } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { contentReply, type Reply } from '../src/http/reply.ts';
import type { AccessRecord } from '../src/http/reports.ts';
import type { Handler } from '../src/http/request.ts';
import type { Routes } from '../src/http/router.ts';
import type { ServerOptions } from '../src/server.ts';
import { temporaryFolder } from './support/certificates.ts';
import { parseReplies, requestBytes } from './support/exchange.ts';
import { field } from './support/replies.ts';
import { startServer, tlsOptions } from './support/service.ts';
import { calm, closed, until } from './support/sockets.ts';

const CLOSE = 'Connection: close';
const EXPECT = 'Expect: 100-continue';
const CHUNKED = 'Transfer-Encoding: chunked';
const LAST = requestBytes('GET', '/', [CLOSE]);
const CONNECT = 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n';
const BAD_CHUNK = `zz\r\n${requestBytes('GET', '/')}`;
const [INVALID_METHOD, INVALID_SIZE] = ['HPE_INVALID_METHOD', 'HPE_INVALID_CHUNK_SIZE'] as const;

const text = (body: string) => contentReply(200, 'text/plain', body);
const greet: Handler = () => text('Hello');
const get = (path: string, ...fields: readonly string[]) => requestBytes('GET', path, fields);
const post = (path: string, ...fields: readonly string[]) => requestBytes('POST', path, fields);
const chunk = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
const brief = ({ path, status, reason, aborted }: AccessRecord) => [path, status, reason, aborted];

/** In a thread of its own, a client sends a head and 900,000 bytes before it reads, and says what it has read. */
const SENDER = `
  const { connect } = require('node:net');
  const { text } = require('node:stream/consumers');
  const { parentPort, workerData: { port, head } } = require('node:worker_threads');
  const client = connect({ port, host: '127.0.0.1' }).pause();
  client.write(head);
  client.write('x'.repeat(900_000), () => text(client).catch(String).then((reply) => parentPort.postMessage(reply)));
`;

/** A handler that never replies by itself: `given` is how the test has it reply, in the order of the requests. */
function slowHandler() {
  const given: ((reply: Reply | Promise<Reply>) => void)[] = [];
  return { given, handler: () => new Promise<Reply>((resolve) => given.push(resolve)) };
}

async function start(t: TestContext, routes: Routes, options: Partial<ServerOptions>, tls?: SecureContextOptions) {
  const { port, ...started } = await startServer(t, { '/': { GET: greet, POST: greet }, ...routes }, options, tls);
  /** Connects, and sends these bytes. */
  function open(bytes = ''): Socket {
    const client = connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => {}); // the test resets some
    t.after(() => client.destroy());
    client.write(bytes, 'latin1');
    return client;
  }
  /** Sends these bytes; the replies must be these: the body of a 200, or another status. Only the last one says so. */
  async function check(bytes: string, ...expected: readonly (string | number)[]) {
    const replies = await repliesOn(open(bytes));
    const seen = replies.map(({ status, body }) => (status === 200 ? body : status));
    assert.deepEqual(seen, expected, bytes.slice(0, 200));
    assert.deepEqual(lastIn(replies), expected.map((_, i) => i === expected.length - 1), bytes.slice(0, 200));
    return replies;
  }
  return { ...started, port, open, check };
}

/** The replies that arrive until the connection closes. */
async function repliesOn(client: Socket) {
  const parts: Buffer[] = [];
  client.on('data', (part: Buffer) => parts.push(part));
  await closed(client);
  return parseReplies(Buffer.concat(parts));
}

const lastIn = (replies: readonly { readonly headers: readonly string[] }[]) =>
  replies.map((reply) => field(reply, 'connection') === 'close');

const failure = new Error('It failed.');
const [nothing, NULL] = JSON.parse('[{}, null]'); // what the compiler would refuse
const reply = (parts: object) => ({ ...text('Hello'), ...parts });

const HANDLERS: Readonly<Record<string, readonly [status: number, handler: Handler]>> = {
  '/at-once': [200, greet], '/later': [201, async () => iteration(reply({ status: 201 }))],
  '/thrown': [500, () => { throw failure; }], '/rejected': [500, async () => Promise.reject(failure)],
  '/undefined': [500, () => nothing.reply], '/later-undefined': [500, async () => nothing.reply],
  '/null': [500, () => NULL], '/150': [500, () => reply({ status: 150 })],
  '/1000': [500, async () => reply({ status: 1000 })], '/line-feed': [500, () => reply({ headers: { a: 'b\nc: d' } })],
  '/letter': [500, async () => reply({ headers: { a: 'ł' } })], '/own': [500, () => reply({ headers: { DATE: 'a' } })],
  '/204': [204, () => reply({ status: 204 })], '/304': [304, () => reply({ status: 304 })],
  '/204-letter': [500, async () => reply({ status: 204, headers: { a: 'ł' } })],
};

const warnings = new Set<string>();
process.on('warning', ({ name }) => warnings.add(name));
after(() => assert.ok(!warnings.has('MaxListenersExceededWarning'))); // Node warns of eleven listeners

function testServer(isFair: boolean): void {
  test('whatever a handler does, there is one reply, and the connection goes on', async (t) => {
    const routes = Object.entries(HANDLERS).map(([path, [, GET]]) => [path, { GET }]);
    const { check, reported, records } = await start(t, Object.fromEntries(routes), { isFair });
    const statuses = Object.values(HANDLERS).map(([status]) => status);
    const bodies = statuses.map((status) => (status === 200 ? 'Hello' : status));
    const bytes = Object.keys(HANDLERS).map((path) => get(path)).join('');
    const replies = await check(`${bytes}${requestBytes('PUT', '/', [])}${LAST}`, ...bodies, 405, 'Hello');
    for (const { statusLine, status, headers, body } of replies) {
      assert.equal(statusLine, `HTTP/1.1 ${status} ${STATUS_CODES[status]}`);
      const length = status === 204 || status === 304 ? undefined : String(body.length);
      assert.deepEqual([field({ headers }, 'content-length'), body.includes('unexpected')], [length, status === 500]);
      assert.equal(field({ headers }, 'allow'), status === 405 ? 'GET, POST' : undefined);
    }
    assert.deepEqual(records.map(({ status }) => status), [...statuses, 405, 200]);
    assert.equal(reported.length, statuses.filter((status) => status === 500).length);
  });

  test('a reply that comes after the request was refused for its content changes nothing', async (t) => {
    const { handler, given } = slowHandler();
    const { open, reported, refusals, records } = await start(t, { '/slow': { POST: handler } }, { isFair });
    for (const late of [async () => text('Late'), async () => Promise.reject(failure)]) {
      const client = open(post('/slow', EXPECT, CHUNKED));
      await until(() => given.length === 1);
      client.write(BAD_CHUNK);
      const replies = await repliesOn(client);
      assert.deepEqual([replies.map(({ status }) => status), lastIn(replies)], [[400], [true]]);
      given.pop()?.(late());
      await iteration();
    }
    assert.deepEqual([reported, refusals], [[failure], [INVALID_SIZE, INVALID_SIZE]]);
    assert.deepEqual(records.map(brief), Array.from({ length: 2 }, () => ['/slow', 400, INVALID_SIZE, undefined]));
  });

  test('content is read where it is wanted, after a 100 if its client waits for that', async (t) => {
    const handled: string[] = [];
    const handler: Handler = ({ content }) => {
      handled.push(String(content));
      return text(String(content));
    };
    const routes = { '/echo': { POST: { handler, maxContentBytes: 5 } } };
    const { open, check, refusals } = await start(t, routes, { isFair });
    const inChunks = (...sizes: readonly number[]) => post('/echo', CHUNKED) + sizes.map(chunk).join('');
    for (const [bytes, ...expected] of [
      [`${post('/echo', 'Content-Length: 5')}abcde${LAST}`, 'abcde', 'Hello'],
      [`${inChunks(2, 3, 0)}${LAST}`, 'xxxxx', 'Hello'],
      [post('/echo', 'Content-Length: 6'), 413], // at once: its content never comes
      [inChunks(2, 4, 0), 413], // no handler gets it, though its end has arrived
      [post('/', EXPECT, 'Content-Length: 2'), 'Hello'], [post('/', 'Expect: a'), 417],
      [`${post('/', 'Expect: ,', 'Content-Length: 1')}x${LAST}`, 'Hello', 'Hello'],
    ] as const) await check(bytes, ...expected);
    assert.deepEqual(refusals, ['contentTooLong', 'contentTooLong', 'expectationUnknown']);
    const client = open(post('/echo', EXPECT, 'Content-Length: 2'));
    assert.equal(String(await once(client, 'data')), 'HTTP/1.1 100 Continue\r\n\r\n');
    client.write(`ab${LAST}`);
    assert.deepEqual((await repliesOn(client)).map(({ body }) => body), ['ab', 'Hello']);
    assert.deepEqual(handled, ['abcde', 'xxxxx', 'ab']);
  });

  test('a client that first sends all of its content has the refusal that came before', async (t) => {
    const { port, server } = await start(t, {}, { isFair });
    const length = 'Content-Length: 900000';
    const inOneChunk = `${post('/', CHUNKED)}${(900_000).toString(16)}\r\n`;
    const unknown = post('/', length).replace('POST', 'BREW');
    await Promise.all([post('/', length), inOneChunk, get('/', 'Host: b', length), unknown].map(async (head) => {
      const [reply] = await once(new Worker(SENDER, { eval: true, workerData: { port, head } }), 'message');
      assert.match(String(reply), /^HTTP\/1\.1 4.*\r\n\r\n$/s);
    }));
    for (const bytes of ['BREW', post('/', 'Content-Length: 65537')]) { // nothing more comes, and it is not ended
      const accepting = once(server.listener, 'connection');
      const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).resume();
      t.after(() => client.destroy());
      client.write(bytes);
      const [accepted] = await accepting;
      await Promise.all([once(client, 'end'), closed(accepted)]);
    }
  });

  test('what the parser of Node refuses gets one reply, the last, and has its record', async (t) => {
    const rows = [
      [`BREW / HTTP/1.1\r\n\r\n${get('/')}`, 400, INVALID_METHOD],
      [get('/', `A: ${'b'.repeat(16_420 - get('/', 'A: ').length)}`), 431, 'HPE_HEADER_OVERFLOW'], // more than 16 KiB
      [`${get('/')}${post('/')}\x00${get('/')}`, 400, INVALID_METHOD, undefined, ['Hello', 'Hello']],
      [post('/', CHUNKED) + BAD_CHUNK, 400, INVALID_SIZE, '/'],
      // Our own rules have refused these, before the parser fails.
      [post('/', 'Transfer-Encoding: xchunked') + BAD_CHUNK, 400, 'codingIllegal', '/'],
      [post('/', CHUNKED) + chunk(65_537) + BAD_CHUNK, 413, 'contentTooLong', '/'],
    ] as const;
    await Promise.all(rows.map(async ([bytes, status, reason, path, before = []]) => {
      const { check, refusals, records } = await start(t, {}, { isFair });
      const last = (await check(bytes, ...before, status)).at(-1);
      assert.deepEqual([last?.body, last && field(last, 'cache-control')], ['', 'no-store']);
      await until(() => records.length > before.length);
      assert.deepEqual(records.slice(before.length).map(brief), [[path, status, reason, undefined]]);
      assert.deepEqual(refusals, [reason]);
    }));
  });

  test('a slow head or slow content gets a 408, silence nothing, and a slow handler may reply', async (t) => {
    const began = performance.now();
    const timeLimits = { headersTimeout: 2_000, requestTimeout: 2_100, connectionsCheckingInterval: 20 };
    const slowly: Handler = async () => wait(2_200, text('Slow'));
    const routes = { '/slow': { GET: slowly, POST: slowly } };
    const { check, refusals, records } = await start(t, routes, { isFair, timeLimits });
    await Promise.all([
      check(''), check('GET / HT', 408), check(`${post('/', 'Content-Length: 2')}x`, 408),
      check(`${get('/')}GE`, 'Hello', 408), check(get('/slow', CLOSE), 'Slow'),
      check(`${post('/', 'Connection: Upgrade', 'Upgrade: x', 'Content-Length: 2')}x`, 408),
      check(post('/slow', EXPECT, 'Content-Length: 1'), 'Slow'), // its content does not come
    ]);
    const reason = 'ERR_HTTP_REQUEST_TIMEOUT';
    assert.deepEqual(refusals, [reason, reason, reason, reason]);
    const [head, content] = [`,408,${reason},`, `/,408,${reason},`];
    const seen = records.map(brief).map(String).sort();
    assert.deepEqual(seen, [head, head, '/,200,,', content, content, '/slow,200,,', '/slow,200,,']);
    const { durationMs = 0 } = records.find(({ path }) => path === '/slow') ?? {};
    assert.ok(durationMs > 2_000 && durationMs < performance.now() - began, `${durationMs}`);
    assert.match(String(durationMs), /^\d+(?:\.\d{1,3})?$/);
  });

  test('a record has no query, and says so if the client has left before its reply was taken', async (t) => {
    const { handler, given } = slowHandler();
    const routes = { '/slow': { GET: handler }, '/long': { GET: () => text('x'.repeat(20_000_000)) } };
    const { open, check, reported, refusals, ends, records, server } = await start(t, routes, { isFair });
    await check(get('/?name=Ada') + get('/?name=Ada', 'Host: b'), 'Hello', 400);
    const { durationMs, traceId, ...record } = records[0] ?? assert.fail();
    const sent = { method: 'GET', path: '/', remoteAddress: '127.0.0.1' };
    assert.deepEqual(record, { ...sent, status: 200, reason: undefined, aborted: undefined });
    assert.match(String(traceId), /^00-/);
    assert.deepEqual([records.slice(1).map(brief), ends], [[['/', 400, 'hostIllegal', undefined]], []]);
    const accepting = once(server.listener, 'connection');
    const reset = open('GET / HT');
    const [accepted] = await accepting;
    await until(() => accepted.bytesRead > 0);
    reset.resetAndDestroy();
    await closed(accepted);
    assert.deepEqual(refusals.splice(0), ['hostIllegal'], 'who has gone is not refused');
    const leaving = open(get('/slow'));
    await until(() => given.length === 1);
    leaving.resetAndDestroy();
    await until(() => records.length === 3);
    given[0]?.(text('Late'));
    const unread = open(get('/long'));
    await once(unread, 'data');
    unread.pause().resetAndDestroy();
    await until(() => records.length === 4);
    const aborted = [['/slow', undefined, undefined, true], ['/long', 200, undefined, true]];
    const seen = [records.slice(2).map(brief), reported, ends, server.closeAll()];
    assert.deepEqual(seen, [aborted, [], ['replyNotTaken', 'replyNotTaken'], 0]);
  });

  test('requests are answered in order, and what follows the last reply is no request', async (t) => {
    const handled: string[] = [];
    const slow: Handler = async ({ query }) => {
      handled.push(query);
      return iteration(text(query));
    };
    const routes = { '/slow': { GET: slow, POST: slow } };
    const { check, open, refusals, ends, records, server } = await start(t, routes, { isFair });
    const [a, b, last] = [get('/slow?a'), get('/slow?b'), get('/slow?c', CLOSE)];
    const upgrade = get('/slow?d', 'Connection: Upgrade', 'Upgrade: h2c');
    for (const [bytes, ...expected] of [
      [`${a}${b}${get('/')}${a}\x00${b}`, 'a', 'b', 'Hello', 'a', 400],
      [`${a}${b}${last}${b}`, 'a', 'b', 'c'], [`${last}\x00`, 'c'], [`${get('/', 'Host: b')}${b}`, 400],
      [`${post('/slow?e', EXPECT, 'Content-Length: 1')}x${b}`, 'e'],
      [upgrade + last, 'd', ...(isFair ? ['c'] : [])],
    ] as const) {
      await check(bytes, ...expected);
      assert.deepEqual(handled.splice(0), expected.filter((body) => String(body).length === 1), bytes);
    }
    assert.deepEqual(refusals, [INVALID_METHOD, 'hostIllegal']);
    for (const before of [[], [get('/')], [a, get('/')]]) {
      const replies = await repliesOn(open(`${before.join('')}${CONNECT}`));
      assert.deepEqual([replies.length, ends.splice(0)], [before.length, ['connectMethod']]);
    }
    assert.ok(records.every(({ aborted }) => aborted === undefined));
    const accepting = once(server.listener, 'connection');
    const resetting = open(`${get('/')}${CONNECT}`);
    const [[accepted]] = await Promise.all([accepting, once(resetting, 'connect')]);
    resetting.resetAndDestroy(); // at once: the reply cannot be written, and there must be somebody who hears of that
    await closed(accepted);
  });

  test('what follows a refusal gets to no handler, however late it comes', async (t) => {
    const { handler, given } = slowHandler();
    const { open } = await start(t, { '/slow': { GET: handler } }, { isFair });
    for (let time = 0; time < 30; time += 1) {
      const client = open(post('/', 'Host: b', 'Content-Length: 5'));
      await once(client, 'connect');
      await iteration();
      client.write(`12345${get('/slow')}`);
      await closed(client.resume());
    }
    assert.deepEqual(given, []);
  });

  test('a head that is refused waits for the reply to what came before it', async (t) => {
    const { handler, given } = slowHandler();
    const { open, records } = await start(t, { '/slow': { GET: handler } }, { isFair });
    const client = open(get('/slow') + get('/slow'));
    const replies = repliesOn(client);
    await until(() => given.length > 0);
    given[0]?.(text('Late'));
    await until(() => given.length === 2 && records.length === 1);
    for (let time = 0; time < 12; time += 1) { // more than Node takes without a warning
      client.write('\x00');
      await calm(t, () => 0); // it has arrived
    }
    given[1]?.(text('Later'));
    assert.deepEqual((await replies).map(({ status }) => status), [200, 200, 400]);
  });

  test('connections above the maximum, and handshakes that fail or are slow, are reported', async (t) => {
    const { handler, given } = slowHandler();
    const full = await start(t, { '/slow': { GET: handler } }, { isFair, maxConnections: 1 });
    full.open(get('/slow'));
    await until(() => given.length === 1);
    await full.check('');
    assert.deepEqual(full.ends, ['newRefused']);
    const tls = await tlsOptions(t);
    for (const [bytes, limit, end] of [[LAST, 20_000, 'tlsFailed'], ['', 100, 'handshakeTooSlow']] as const) {
      const { check, ends } = await start(t, {}, { isFair, timeLimits: { handshakeTimeout: limit } }, tls);
      await check(bytes);
      assert.deepEqual(ends, [end]);
    }
  });
}

// The tests run at the same time, because they wait for connections to end.
describe('the server', { concurrency: true }, () => {
  for (const [how, isFair] of [['with turns', true], ['without turns', false]] as const) {
    describe(how, { concurrency: true }, () => testServer(isFair));
  }
});

for (const isTls of [false, true]) {
  const where = `on a Unix socket${isTls ? ', over TLS' : ''}`;
  test(`${where}: records have no address; who is silent is closed at the stop`, { timeout: 60_000 }, async (t) => {
    const path = join(temporaryFolder(t), 'socket');
    const options = { path, timeLimits: { handshakeTimeout: 2 ** 30 } }; // it does not close what is silent
    const { records, server } = await startServer(t, {}, options, isTls ? await tlsOptions(t) : undefined);
    const client = isTls ? connectTls({ path, rejectUnauthorized: false }) : connect({ path });
    const silent = connect({ path });
    await once(server.listener, 'connection');
    await once(server.listener, 'connection');
    await repliesOn(client.end(LAST));
    assert.deepEqual(records.map(({ status, remoteAddress }) => [status, remoteAddress]), [[404, undefined]]);
    await Promise.all([server.close(), closed(silent.resume())]);
  });
}
