// Handlers that wait: how `request.signal` tells them that nobody else does, how many run, and that the stop waits.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { emptyReply, type Reply } from '../../src/http/reply.ts';
import { ABORTS, type Handler, type HttpRequest } from '../../src/http/request.ts';
import { createSeats } from '../../src/http/seats.ts';
import { temporaryFolder, tlsOptions } from '../support/certificates.ts';
import { GET, post, repliesOn } from '../support/exchange.ts';
import { field } from '../support/replies.ts';
import { startServer, type StartOptions } from '../support/service.ts';
import { calm, NO_UNIX, until } from '../support/sockets.ts';
import { holdTimers } from '../support/timers.ts';

const POST = `${post('/', 'Content-Length: 1')}x`;
const CHUNKED = 'Transfer-Encoding: chunked';
const EXPECTING = post('/', 'Expect: 100-continue', CHUNKED);
const LONG = `${post('/', CHUNKED)}${'5\r\nhello\r\n'.repeat(1_000)}0\r\n\r\n`;
const OTHER = '127.0.0.2';

type Called = { readonly request: HttpRequest; readonly reply: (reply: Reply | Promise<Reply>) => void };

const NO_LIMIT = { timeLimitMs: Infinity };

async function start(
  t: TestContext, over: 'TCP' | 'TLS' | 'Unix' = 'TCP', options: StartOptions = {}, more: object = NO_LIMIT,
) {
  const calls: Called[] = [];
  const handler: Handler = async (request) => new Promise((reply) => calls.push({ request, reply }));
  const tls = over === 'TLS' ? tlsOptions(t) : undefined;
  const path = over === 'Unix' ? join(temporaryFolder(t), 'socket') : undefined;
  const routes = { '/': { GET: { handler, ...more }, POST: { handler, ...more } } };
  const { port, ...started } = await startServer(t, routes, { ...options, ...(path && { path }) }, tls);
  const requests = t.mock.fn();
  started.server.httpServer.on('request', requests).on('checkContinue', requests);
  function open(bytes: string, localAddress = '127.0.0.1') {
    const below = connect({ ...(path === undefined ? { port, localAddress } : { path }), allowHalfOpen: true });
    const client = tls === undefined ? below : connectTls({ socket: below, rejectUnauthorized: false });
    t.after(() => below.destroy());
    below.on('error', () => {});
    client.on('error', () => {}).on('end', () => client.end()).write(bytes);
    const replies = repliesOn(client);
    const statuses = async () => (await replies).map(({ status }) => status);
    return { client, replies, statuses, reset: () => (over === 'Unix' ? below.destroy() : below.resetAndDestroy()) };
  }
  async function next(): Promise<Called> {
    await until(() => calls.length > 0);
    return calls.shift() ?? assert.fail();
  }
  return { ...started, calls, requests: requests.mock, open, next };
}

const failure = new Error('It failed.');

describe('a handler that waits', { concurrency: true }, () => {
  for (const over of NO_UNIX ? ['TCP', 'TLS'] as const : ['TCP', 'TLS', 'Unix'] as const) {
    for (const bytes of [GET, `${GET}\r\n`, LONG]) {
      test(`over ${over}, hears at once that its client has left, or is cut off (${bytes.length} bytes)`, async (t) => {
        const { open, next, server, reported, ends, records } = await start(t, over);
        const begin = async () => ({ ...open(bytes), ...await next() });
        const [ending, resetting, cut] = [await begin(), await begin(), await begin()];
        for (const { request: { signal } } of [ending, resetting]) assert.equal(signal.aborted, false);
        ending.client.end();
        await once(ending.request.signal, 'abort');
        ending.reply(emptyReply(204)); // it may still read that
        await once(ending.client, 'end');
        resetting.reset();
        await once(resetting.request.signal, 'abort');
        resetting.reply(Promise.reject(new Error('It failed.', { cause: resetting.request.signal.reason })));
        await nextIteration();
        assert.equal(server.closeAll(), 1);
        const reasons = [ending, resetting, cut].map(({ request }) => request.signal.reason.message);
        const isUnix = over === 'Unix'; // such a connection cannot be reset
        assert.deepEqual(reasons, [ABORTS.halfClosed, isUnix ? ABORTS.halfClosed : ABORTS.closed, ABORTS.stopped]);
        assert.equal(cut.request.signal.reason.name, 'AbortError');
        await until(() => records.length === 3);
        const seen = records.map(({ status, reason, aborted }) => [status, reason, aborted]);
        const ofReset = isUnix ? [500, 'handlerAborted', true] : [undefined, undefined, true];
        assert.deepEqual(seen, [[204, undefined, undefined], ofReset, [undefined, undefined, true]]);
        assert.deepEqual([reported, ends.sort()], [[], ['handlerAborted', 'replyNotTaken']]);
      });
    }
  }

  test('is called with an aborted signal if its client ended its side before, and not if it reset', async (t) => {
    const { open, next, calls } = await start(t);
    const { client } = open(`${GET}${GET}`);
    const first = await next();
    client.end();
    await until(() => first.request.signal.aborted); // though another request waits
    first.reply(emptyReply(200));
    const second = await next();
    await until(() => second.request.signal.aborted);
    const { reset } = open(`${GET}${GET}`);
    const third = await next();
    reset();
    third.reply(emptyReply(200));
    await calm(t, () => calls.length);
    assert.deepEqual(calls, []);
  });

  for (const over of ['TCP', 'TLS'] as const) {
    test(`over ${over}, hears that its request is refused for content that it does not wait for`, async (t) => {
      const { open, next, server } = await start(t, over);
      for (const [sent, status] of [
        ['zz\r\n', 400], [`8000\r\n${'x'.repeat(32_768)}\r\n`, 413], ['the end', 400], ['a reset', undefined],
      ] as const) {
        const { client, reset, statuses } = open(EXPECTING);
        const { request: { signal } } = await next();
        client.write(`fff0\r\n${'x'.repeat(65_520)}\r\n`); // all of it is read
        if (sent === 'a reset') reset();
        else if (sent === 'the end') client.end();
        else client.write(sent);
        await until(() => signal.aborted);
        if (status === undefined) continue;
        assert.deepEqual([signal.reason.message, await statuses()], [ABORTS.refused, [status]]);
      }
      assert.equal(server.closeAll(), 4);
    });
  }

  test('that returns no reply while the server stops has a 500 with nothing of that', async (t) => {
    const { open, next, server } = await start(t);
    const { replies } = open(GET);
    const { reply } = await next();
    const closing = server.close();
    reply({ ...emptyReply(200), headers: { 'X-Good': 'a', 'X-Bad': 'b\nc' } });
    const [{ statusLine, headers } = assert.fail()] = await replies;
    assert.deepEqual([statusLine, field({ headers }, 'X-Good')], ['HTTP/1.1 500 Internal Server Error', undefined]);
    await closing;
  });

  test('that is cut off by the server is not taken for one whose client has left', async (t) => {
    const { open, next, ends, server, records } = await start(t, 'TCP', { maxConnections: 2 });
    for (let i = 0; i < 2; i += 1) open(GET);
    const { request: { signal } } = await next();
    const { request: { signal: other } } = await next();
    open('', OTHER);
    await until(() => signal.aborted || other.aborted);
    const isClosed = server.close();
    server.closeAll();
    await isClosed; // although their handlers never end
    await until(() => records.length === 2);
    const reasons = [signal, other].map(({ reason }) => reason.message).sort();
    assert.deepEqual([ends, reasons], [['busyClosed'], [ABORTS.dropped, ABORTS.stopped]]);
  });

  test('waits for a seat in the queue of its client, but not while its content is on its way', async (t) => {
    const { open, next, calls, requests } = await start(t, 'TCP', {}, { ...NO_LIMIT, seats: createSeats(1) });
    const slow = open(POST.slice(0, -1));
    for (const [i, from] of ['127.0.0.1', '127.0.0.1', '127.0.0.1', OTHER].entries()) {
      await until(() => requests.callCount() === i + 1);
      open(GET, from);
    }
    await until(() => requests.callCount() === 5);
    const order: unknown[] = [];
    for (let i = 0; i < 5; i += 1) {
      const { request, reply } = await next();
      assert.equal(calls.length, 0, 'there is one seat');
      order.push(request.method, request.remoteAddress);
      reply(i === 1 ? Promise.reject(failure) : emptyReply(i === 2 ? 99 : 200)); // it has ended, whatever it returns
      if (i === 2) slow.client.write('x');
      await calm(t, () => calls.length);
    }
    const one = ['GET', '127.0.0.1'];
    assert.deepEqual(order, [...one, ...one, 'GET', OTHER, ...one, 'POST', '127.0.0.1']);
  });

  test('is not called if nobody waits for its reply when it gets a seat', async (t) => {
    const { open, next, calls, requests, server, records } =
      await start(t, 'TCP', {}, { ...NO_LIMIT, seats: createSeats(1) });
    const { client, reset } = open(GET);
    const first = await next();
    reset(); // its handler goes on, and keeps the seat
    await once(first.request.signal, 'abort');
    const [ending, resetting, refused, last] = [open(POST), open(GET), open(EXPECTING), open(GET)];
    await until(() => requests.callCount() === 5);
    ending.client.end();
    resetting.reset();
    refused.client.write('zz\r\n');
    assert.deepEqual([await ending.statuses(), await refused.statuses()], [[], [400]]);
    await until(() => records.length === 4);
    assert.deepEqual([calls.length, server.closeAll()], [0, 2]);
    first.reply(emptyReply(200));
    assert.deepEqual(await last.statuses(), []);
    await calm(t, () => calls.length);
    assert.deepEqual([calls.length, client.destroyed], [0, true]);
  });

  test('counts for its client after that has left, and the stop waits for it', async (t) => {
    const { open, next, calls, ends, server } = await start(t, 'TCP', { maxConnections: 3 });
    const left: Called[] = [];
    for (let i = 0; i < 3; i += 1) {
      const { reset } = open(GET);
      left.push(await next());
      reset();
      await until(() => left.at(-1)?.request.signal.aborted === true);
    }
    open(GET);
    await until(() => ends.at(-1) === 'newRefused');
    open(GET, '127.0.0.2');
    const { request, reply } = await next();
    assert.deepEqual([request.remoteAddress, calls.length, server.handlers()], ['127.0.0.2', 0, 4]);
    left.pop()?.reply(emptyReply(200));
    await nextIteration();
    open(GET);
    const another = await next();
    let isClosed = false;
    const closings = Promise.all([server.close(), server.close()]).then(() => { isClosed = true; });
    for (const call of [{ reply }, another]) call.reply(emptyReply(200));
    await once(server.httpServer, 'close');
    for (const call of left) {
      await nextIteration();
      assert.equal(isClosed, false);
      call.reply(emptyReply(200));
    }
    await closings;
  });
});

// These do not run beside others, because they hold the time.
for (const over of ['TCP', 'TLS'] as const) {
  test(`over ${over}, a handler and its wait for a seat have 30 s together`, async (t) => {
    holdTimers(t, 'setInterval');
    const { open, next, calls, requests, records } = await start(t, over, {}, { seats: createSeats(1) });
    const clients = [open(GET), open(GET)];
    const first = await next();
    await until(() => requests.callCount() === 2);
    t.mock.timers.tick(30_000); // so many seconds are counted, of which the first may have been a moment
    assert.equal(first.request.signal.aborted, false);
    t.mock.timers.tick(1_000);
    assert.equal(first.request.signal.reason.message, ABORTS.tooSlow);
    for (const { replies } of clients) {
      assert.deepEqual((await replies).map((one) => [one.status, field(one, 'Connection')]), [[503, 'close']]);
    }
    await until(() => records.length === 2);
    for (const { status, reason } of records) assert.deepEqual([status, reason], [503, 'handlerTooSlow']);
    open(GET);
    await until(() => requests.callCount() === 3);
    assert.deepEqual(calls, []); // until the first one ends
    first.reply(Promise.reject(failure));
    await next();
  });
}

test('the time limit of a route is never early, and late by up to a second', async (t) => {
  holdTimers(t, 'setInterval');
  for (const timeLimitMs of [0, 999, 1_001, Infinity]) {
    const { open, next, ends } = await start(t, 'TCP', {}, { timeLimitMs });
    const { client, statuses } = open(GET);
    const { request, reply } = await next();
    let seconds = 0;
    for (; seconds < 1_000 && !request.signal.aborted; seconds += 1) t.mock.timers.tick(1_000);
    assert.equal(seconds, Math.min(1_000, 1 + Math.ceil(timeLimitMs / 1_000)));
    reply(emptyReply(204));
    client.end();
    assert.deepEqual(await statuses(), [timeLimitMs === Infinity ? 204 : 503]);
    assert.deepEqual([ends.length, request.signal.aborted], timeLimitMs === Infinity ? [0, false] : [1, true]);
  }
});

test('of requests whose time limits end together, some are refused in each iteration of the event loop', async (t) => {
  holdTimers(t, 'setInterval');
  const { open, next, ends } = await start(t, 'TCP', {}, { timeLimitMs: 0 });
  const clients = Array.from({ length: 11 }, () => open(GET));
  for (let i = 0; i < 11; i += 1) await next();
  t.mock.timers.tick(1_000);
  for (const refused of [5, 10, 11]) {
    assert.equal(ends.length, refused);
    await nextIteration();
  }
  for (const { statuses } of clients) assert.deepEqual(await statuses(), [503]);
  assert.deepEqual(new Set(ends), new Set(['handlerTooSlow']));
});
