// Handlers that wait: when `request.signal` tells them that nobody waits for the reply, how many there may be, and that
// the stop waits for them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { emptyReply, type Reply } from '../src/http/reply.ts';
import { ABORTS, type Handler, type HttpRequest } from '../src/http/request.ts';
import { temporaryFolder } from './support/certificates.ts';
import { requestBytes } from './support/exchange.ts';
import { startServer, tlsOptions, type StartOptions } from './support/service.ts';
import { calm, NO_UNIX, until } from './support/sockets.ts';

const GET = requestBytes('GET', '/', []);
const POST = `${requestBytes('POST', '/', ['Content-Length: 1'])}x`;

type Called = { readonly request: HttpRequest; readonly reply: (reply: Reply | Promise<Reply>) => void };

/** A server on which each handler waits until the test replies. */
async function start(t: TestContext, over: 'TCP' | 'TLS' | 'Unix' = 'TCP', options: StartOptions = {}) {
  const calls: Called[] = [];
  const handler: Handler = async (request) => new Promise((reply) => calls.push({ request, reply }));
  const tls = over === 'TLS' ? await tlsOptions(t) : undefined;
  const path = over === 'Unix' ? join(temporaryFolder(t), 'socket') : undefined;
  const routes = { '/': { GET: handler, POST: handler } };
  const { port, ...started } = await startServer(t, routes, { ...options, ...(path && { path }) }, tls);
  /** Connects, and sends this. */
  function open(bytes: string, localAddress = '127.0.0.1') {
    const below = connect({ ...(path === undefined ? { port, localAddress } : { path }), allowHalfOpen: true });
    const client = tls === undefined ? below : connectTls({ socket: below, rejectUnauthorized: false });
    t.after(() => below.destroy());
    below.on('error', () => {});
    client.on('error', () => {}).write(bytes);
    return { client: client.resume(), reset: () => (over === 'Unix' ? below.destroy() : below.resetAndDestroy()) };
  }
  /** The next call of the handler. */
  async function next(): Promise<Called> {
    await until(() => calls.length > 0);
    return calls.shift() ?? assert.fail();
  }
  return { ...started, calls, open, next };
}

// The tests run at the same time, because they wait for connections to end.
describe('a handler that waits', { concurrency: true }, () => {
  for (const over of NO_UNIX ? ['TCP', 'TLS'] as const : ['TCP', 'TLS', 'Unix'] as const) {
    for (const bytes of [GET, POST, GET + GET]) {
      test(`over ${over}, hears at once that its client has left, or is cut off (${bytes.length} bytes)`, async (t) => {
        const { open, next, server, reported, records } = await start(t, over);
        const begin = async () => {
          const opened = open(bytes);
          if (bytes === GET + GET) (await next()).reply(emptyReply(200));
          return { ...opened, ...await next() };
        };
        const [ending, resetting, cut] = [await begin(), await begin(), await begin()];
        for (const { request: { signal } } of [ending, resetting, cut]) assert.equal(signal.aborted, false);
        ending.client.end();
        await once(ending.request.signal, 'abort');
        ending.reply(emptyReply(204)); // it may still read that
        await once(ending.client, 'end');
        resetting.reset();
        await once(resetting.request.signal, 'abort');
        resetting.reply(Promise.reject(new Error('It failed.', { cause: resetting.request.signal.reason })));
        await iteration();
        assert.equal(server.closeAll(), 1);
        const reasons = [ending, resetting, cut].map(({ request }) => request.signal.reason.message);
        const [why, status] = over === 'Unix' ? [ABORTS.halfClosed, 500] : [ABORTS.closed]; // it cannot be reset
        assert.deepEqual(reasons, [ABORTS.halfClosed, why, ABORTS.stopped]);
        await until(() => records.length === (bytes === GET + GET ? 6 : 3));
        const ends = records.filter((record) => record.status !== 200).map((record) => [record.status, record.aborted]);
        assert.deepEqual([ends, reported], [[[204, undefined], [status, true], [undefined, true]], []]);
      });
    }
  }

  test('hears nothing after its reply, whatever its client does; what it throws then is reported', async (t) => {
    const { open, next, records } = await start(t);
    const { reset } = open(GET);
    const { request, reply } = await next();
    const { signal } = request;
    reply(emptyReply(200));
    await until(() => records.length === 1);
    reset();
    await calm(t, () => 0);
    assert.deepEqual([signal.aborted, request.isAbortion(undefined)], [false, false]);
  });

  test('is called with an aborted signal if its client ended its side before, and not if it reset', async (t) => {
    const { open, next, calls } = await start(t);
    const { client } = open(`${GET}${GET}`);
    const first = await next();
    client.end();
    await calm(t, () => 0);
    assert.equal(first.request.signal.aborted, false, 'another request waits');
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
    await iteration();
    open(GET);
    const another = await next();
    let isClosed = false;
    const closings = Promise.all([server.close(), server.close()]).then(() => { isClosed = true; });
    for (const call of [{ reply }, another]) call.reply(emptyReply(200));
    await once(server.listener, 'close');
    for (const call of left) {
      await iteration();
      assert.equal(isClosed, false);
      call.reply(emptyReply(200));
    }
    await closings;
  });

  for (const over of ['TCP', 'TLS'] as const) {
    test(`over ${over}, is waited for by the stop if the server has closed the last connection`, async (t) => {
      const { open, next, server } = await start(t, over);
      open(GET);
      const { reply } = await next();
      let isClosed = false;
      const closing = server.close().then(() => { isClosed = true; });
      await until(() => !server.listener.listener.listening);
      setTimeout(server.listener.closeAllConnections, 0); // in a timer, as a sweep
      await once(server.listener, 'close');
      await calm(t, () => 0);
      assert.equal(isClosed, false);
      reply(emptyReply(200));
      await closing;
    });
  }
});
