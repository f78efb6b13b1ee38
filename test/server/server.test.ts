// The server over real sockets, and what is reported. What each reply says is in the contract.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { STATUS_CODES } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { contentReply, emptyReply } from '../../src/http/reply.ts';
import type { AccessRecord } from '../../src/http/reports.ts';
import type { Handler, HttpRequest } from '../../src/http/request.ts';
import type { Router, Routes } from '../../src/http/router.ts';
import type { ServerSetup } from '../../src/server/server.ts';
import { CLOSE, get, LAST, post, repliesOn, requestBytes } from '../support/exchange.ts';
import { field } from '../support/replies.ts';
import { keepReports, startServer } from '../support/service.ts';
import { calm, closed, NO_UNIX, until } from '../support/sockets.ts';
import { holdTimers } from '../support/timers.ts';

const EXPECT = 'Expect: 100-continue';
const CHUNKED = 'Transfer-Encoding: chunked';
const CONNECT = 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n';
const BAD_CHUNK = `zz\r\n${requestBytes('GET', '/')}`;

const text = (body: string) => contentReply(200, 'text/plain', body);
const hello: Handler = () => text('Hello');
const chunk = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
const brief = ({ path, status, reason, aborted }: AccessRecord) => [path, status, reason, aborted];

async function start(t: TestContext, routes: Routes = {}, options: Partial<ServerSetup> = {}) {
  const { port, ...started } = await startServer(t, { '/': { GET: hello, POST: hello }, ...routes }, options);
  function open(bytes = '', allowHalfOpen = false): Socket {
    const client = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen });
    t.after(() => client.destroy());
    client.on('error', () => {}).write(bytes, 'latin1'); // the test resets some
    return client;
  }
  /** The replies to these bytes, or to this client: the body of a 200, or another status. Only the last one says so. */
  async function check(sent: string | Socket, ...expected: readonly (string | number)[]) {
    const replies = await repliesOn(typeof sent === 'string' ? open(sent) : sent);
    const seen = replies.map((one) => [one.status === 200 ? one.body : one.status, field(one, 'connection')]);
    assert.deepEqual(seen, expected.map((one, i) => [one, i === expected.length - 1 ? 'close' : 'keep-alive']));
    return replies;
  }
  return { ...started, open, check };
}

const failure = new Error('It failed.');
const reply = (parts: object) => ({ ...text('Hello'), ...parts });

describe('the server', { concurrency: true }, () => {
  test('whatever a handler does, there is one reply, and the connection goes on', async (t) => {
    const transferred = new Uint8Array(5);
    structuredClone(transferred.buffer, { transfer: [transferred.buffer] }); // the bytes are elsewhere now
    const isFirst = t.mock.fn((): unknown => { throw failure; });
    isFirst.mock.mockImplementationOnce(() => true);
    const once = { ...text('Hello'), get body() { return `${isFirst()}`; } };
    const handlers: readonly (readonly [status: number, handler: Handler])[] = [
      [201, async () => nextIteration(reply({ status: 201 }))],
      [500, () => { throw failure; }], [500, async () => Promise.reject(failure)],
      [500, () => JSON.parse('null')], [500, async () => JSON.parse('null')], // what the compiler would refuse
      [500, () => reply({ status: 150 })], [500, async () => reply({ status: 1000 })],
      [500, () => reply({ headers: { a: 'b\nc: d' } })], [500, () => reply({ body: transferred })], [500, () => once],
      [204, () => reply({ status: 204 })], [304, () => reply({ status: 304 })],
    ];
    const routes = Object.fromEntries(handlers.map(([, GET], i) => [`/${i}`, { GET }]));
    const { check, reported, failedRequests } = await start(t, routes);
    const statuses = handlers.map(([status]) => status);
    const bytes = Object.keys(routes).map((path) => get(path)).join('') + requestBytes('PUT', '/', []);
    const replies = await check(bytes + LAST, ...statuses, 405, 'Hello');
    for (const { statusLine, status, headers, body } of replies) {
      assert.equal(statusLine, `HTTP/1.1 ${status} ${STATUS_CODES[status]}`);
      assert.equal(body.includes('unexpected'), status === 500);
      assert.equal(field({ headers }, 'allow'), status === 405 ? 'GET, POST' : undefined);
    }
    assert.equal(reported.length, statuses.filter((status) => status === 500).length);
    assert.equal(failedRequests[0], 'GET /1');
  });

  test('what any layer throws is the same 500, with its log line, and the connection goes on', async (t) => {
    const failAt = (what: string) => (seen?: string) => {
      if (seen === what) throw failure;
      return true;
    };
    const router: Router = (_method, path) => ({ maxContentBytes: Number(failAt('/bad')(path)), handler: hello });
    const late: Router = (_, path) => ({ handler: hello, get params() { return { a: `${failAt('/bad')(path)}` }; } });
    const headRules = { hostNames: Object.assign(new Set<string>(), { has: failAt('bad') }) };
    const badHost = get('/').replace('localhost', 'bad');
    const content = `${post('/bad', 'Content-Length: 3')}abc${post('/bad', CHUNKED)}${chunk(5)}${chunk(0)}`;
    const isTrustedProxy = t.mock.fn((): boolean => false);
    isTrustedProxy.mock.mockImplementationOnce(() => { throw failure; });
    const throwing = { '/throws': { GET: () => { throw failure; } } };
    for (const [bytes, options, ...expected] of [
      [get('/bad') + content, { router }, 500, 500, 500, 'Hello'],
      [get('/bad') + content, { router: late }, 500, 500, 500, 'Hello'], [badHost, { headRules }, 500, 'Hello'],
      [get('/'), { isTrustedProxy }, 500, 'Hello'], [get('/'), { failing: 'requestOver' }, 'Hello', 'Hello'],
      [get('/throws'), { failing: 'requestFailed' }, 500, 'Hello'],
      [get('/', 'Host: b'), { failing: 'endedEarly' }, 500], ['BREW', { failing: 'endedEarly' }, 400],
    ] as const) {
      const { reports, reported } = keepReports();
      const failing = 'failing' in options && { [options.failing]: () => { throw failure; } };
      const { check } = await start(t, throwing, { ...options, reports: { ...reports, ...failing } });
      const replies = await check(bytes + LAST, ...expected);
      assert.ok(replies.every(({ status, body }) => body.includes('unexpected') === (status === 500)));
      if (!('failing' in options)) assert.equal(reported.length, replies.length - 1);
      assert.ok(reported.every((error) => error === failure), bytes);
    }
  });

  test('if the memory of a reply goes to another thread while it is sent, the connection ends with it', async (t) => {
    const body = new Uint8Array(20_000_000);
    const { open, ends, records } = await start(t, { '/bytes': { GET: () => reply({ body }) } });
    const client = open(get('/bytes') + get('/'));
    await once(client, 'readable');
    structuredClone(body.buffer, { transfer: [body.buffer] });
    await closed(client.resume());
    assert.deepEqual([ends, records.length], [['replyNotTaken'], 1]);
  });

  test('content is read where it is wanted, after a 100 if its client waits for that', async (t) => {
    const echo = t.mock.fn(({ content }: HttpRequest) => text(String(content)));
    const echoing = (maxContentBytes: number) => ({ POST: { handler: echo, maxContentBytes } });
    const { open, check } = await start(t, { '/echo': echoing(5), '/none': echoing(NaN), '/discard': { POST: echo } });
    const inChunks = (...sizes: readonly number[]) => post('/echo', CHUNKED) + sizes.map(chunk).join('');
    await check(`${post('/echo', 'Content-Length: 5')}abcde${inChunks(2, 3, 0)}${LAST}`, 'abcde', 'xxxxx', 'Hello');
    await check(`${post('/discard', CHUNKED)}${chunk(1)}${chunk(0)}${LAST}`, '', 'Hello');
    await check(`${post('/none', 'Content-Length: 1')}a${LAST}`, 500, 'Hello'); // its limit is no number
    for (const bytes of [post('/echo', 'Content-Length: 6'), inChunks(2, 4, 0)]) await check(bytes, 413); // at once
    const client = open(post('/echo', EXPECT, 'Content-Length: 2'));
    assert.equal(String(await once(client, 'data')), 'HTTP/1.1 100 Continue\r\n\r\n');
    client.write(`ab${LAST}`);
    await check(client, 'ab', 'Hello');
    assert.equal(echo.mock.callCount(), 4); // it does not get what is too long, though its end has arrived
  });

  test('a client that first sends all of its content has the refusal that came before', async (t) => {
    const { open } = await start(t);
    const length = 'Content-Length: 900000';
    const inOneChunk = `${post('/', CHUNKED)}${(965_537).toString(16)}\r\n${'x'.repeat(65_537)}`;
    const unknown = post('/', length).replace('POST', 'BREW');
    await Promise.all([post('/', length), inOneChunk, get('/', 'Host: b', length), unknown].map(async (head) => {
      const client = open(head);
      await once(client, 'readable'); // the refusal, which it reads only now:
      await new Promise((sent) => client.write('x'.repeat(900_000), sent));
      assert.equal((await repliesOn(client)).length, 1);
    }));
  });

  test('what the parser of Node refuses gets one reply, the last, and has its record', async (t) => {
    await Promise.all(([
      [get('/', `A: ${'b'.repeat(16_420 - get('/', 'A: ').length)}`), 431, 'HPE_HEADER_OVERFLOW'], // more than 16 KiB
      [`${get('/')}${post('/')}\x00${get('/')}`, 400, 'HPE_INVALID_METHOD', undefined, ['Hello', 'Hello']],
      [post('/', CHUNKED) + BAD_CHUNK, 400, 'HPE_INVALID_CHUNK_SIZE', '/'],
      // Our own rules have refused these, before the parser fails.
      [post('/', 'Transfer-Encoding: xchunked') + BAD_CHUNK, 400, 'codingIllegal', '/'],
      [post('/', CHUNKED) + chunk(65_537) + BAD_CHUNK, 413, 'contentTooLong', '/'],
    ] as const).map(async ([bytes, status, reason, path, before = []]) => {
      const { check, ends, records } = await start(t);
      await check(bytes, ...before, status);
      await until(() => records.length > before.length);
      assert.deepEqual(records.slice(before.length).map(brief), [[path, status, reason, undefined]]);
      assert.deepEqual(ends, [reason]);
    }));
  });

  test('requests are answered in order, and what follows the last reply is no request', async (t) => {
    const later: Handler = async ({ query }) => nextIteration(text(query));
    const never = t.mock.fn(hello);
    const routes = { '/later': { GET: later, POST: later }, '/never': { GET: never } };
    const { check, open, ends, records } = await start(t, routes);
    const [a, b, last, more] = [get('/later?a'), get('/later?b'), get('/later?c', CLOSE), get('/never')];
    const manyLines = Array<string>(101).fill('X: y');
    for (const [bytes, ...expected] of [
      [`${a}${b}${get('/')}${a}\x00${more}`, 'a', 'b', 'Hello', 'a', 400],
      [`${a}${b}${last}${more}`, 'a', 'b', 'c'], [`${last}\x00`, 'c'],
      [`${post('/later?e', EXPECT, 'Content-Length: 1')}x${more}`, 'e'], [get('/', EXPECT) + more, 'Hello'],
      [`${post('/', ...manyLines, 'Content-Length: 5')}abcde${more}`, 431], // Node hides the length from us
    ] as const) await check(bytes, ...expected);
    const replies = await repliesOn(open(`${a}${get('/')}${CONNECT}`));
    assert.deepEqual([replies.length, ends.at(-1)], [2, 'connectMethod']);
    assert.ok(records.every(({ aborted }) => aborted === undefined));
    assert.equal(never.mock.callCount(), 0);
  });
});

test('what is slow to arrive gets a 408', async (t) => {
  const began = performance.now();
  const replies: (() => void)[] = [];
  const slowly: Handler = async () => new Promise((resolve) => replies.push(() => resolve(text('Slow'))));
  const { check, records, server: { httpServer } } = await start(t, { '/slow': { GET: slowly, POST: slowly } });
  const valves: Socket[] = [];
  httpServer.on('connection', (valve) => valves.push(valve));
  const heads = t.mock.fn();
  httpServer.on('request', heads).on('checkContinue', heads);
  const rows = [
    [''], ['GET / HT', 408], [`${post('/', 'Content-Length: 2')}x`, 408], [`${get('/')}GE`, 'Hello', 408],
    [get('/slow', CLOSE), 'Slow'], [post('/slow', EXPECT, 'Content-Length: 1'), 'Slow'], // its content does not come
    [`${post('/', 'Connection: Upgrade', 'Upgrade: x', 'Content-Length: 2')}x`, 408],
  ] as const;
  const checks = Promise.all(rows.map(([bytes, ...expected]) => check(bytes, ...expected)));
  const sent = rows.reduce((sum, [bytes]) => sum + bytes.length, 0);
  await until(() => heads.mock.callCount() === 5 && valves.reduce((sum, { bytesRead }) => sum + bytesRead, 0) === sent);
  Object.assign(httpServer, { headersTimeout: 1, requestTimeout: 1 });
  await until(() => records.length === 5);
  for (const reply of replies) reply();
  await checks;
  const [head, content] = [',408,ERR_HTTP_REQUEST_TIMEOUT,', '/,408,ERR_HTTP_REQUEST_TIMEOUT,'];
  const seen = records.map(brief).map(String).sort();
  assert.deepEqual(seen, [head, head, '/,200,,', content, content, '/slow,200,,', '/slow,200,,']);
  const { durationMs = 0 } = records.find(({ path }) => path === '/slow') ?? assert.fail();
  assert.ok(durationMs > 0 && durationMs < performance.now() - began, `${durationMs}`);
});

test('a last reply comes at once, and its end with the content', async (t) => {
  holdTimers(t, 'setTimeout');
  const routes = { '/empty': { POST: () => emptyReply(204) } };
  const { open, ends, records } = await start(t, routes);
  await repliesOn(open(`${post('/', CLOSE, 'Content-Length: 1')}x`)); // at once if it has come
  await once(open(post('/empty', EXPECT, 'Content-Length: 1')), 'data');
  const ending = open(post('/', 'Content-Length: 65537'), true);
  await once(ending, 'data');
  await once(ending.end(), 'end'); // at once if nothing more comes
  const client = open(post('/', 'Content-Length: 65537'), true);
  await once(client, 'data');
  t.mock.timers.tick(999);
  await calm(t, () => 0);
  assert.equal(client.readableEnded, false);
  t.mock.timers.tick(1);
  await once(client, 'end');
  const resetting = open(post('/', 'Content-Length: 65537'));
  await once(resetting, 'data'); // it has its reply
  resetting.resetAndDestroy();
  await until(() => records.length === 5);
  assert.deepEqual([new Set(ends), records.filter(({ aborted }) => aborted)], [new Set(['contentTooLong']), []]);
});

test('a record says so if the client has left before it took its reply, or refusal', { skip: NO_UNIX }, async (t) => {
  const { open, ends, records, server } = await start(t, { '/long': { GET: () => text('x'.repeat(20_000_000)) } });
  const accepting = once(server.httpServer, 'connection');
  const refused = open('BREW');
  await Promise.all([accepting, once(refused, 'connect')]);
  refused.resetAndDestroy(); // before its bytes are read
  await until(() => records.length === 1);
  const unread = open(get('/long'));
  await once(unread, 'data');
  unread.pause().resetAndDestroy();
  await until(() => records.length === 2);
  assert.deepEqual(records.map(brief), [[undefined, 400, 'HPE_INVALID_METHOD', true], ['/long', 200, undefined, true]]);
  assert.deepEqual([ends, server.closeAll()], [['HPE_INVALID_METHOD', 'replyNotTaken', 'replyNotTaken'], 0]);
});

test('Node has the limits that README.md names', async (t) => {
  const { mock } = t.mock.method(http, 'createServer');
  const { server: { httpServer: { maxHeadersCount } } } = await startServer(t, {});
  const { headersTimeout, requestTimeout, maxHeaderSize, ...more } = Object(mock.calls[0]?.arguments[0]);
  assert.deepEqual([headersTimeout, requestTimeout, maxHeaderSize, maxHeadersCount], [10_000, 15_000, 16_384, 101]);
  assert.equal(more.connectionsCheckingInterval, 1_000);
});
