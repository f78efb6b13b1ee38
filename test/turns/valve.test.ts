// What a valve lets through, when, and what becomes of connections: over sockets, under a server of node:http. The test
// calls `sweep`, and so it holds the time in which a client does nothing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { calm, closed, iterations, until } from '../support/sockets.ts';
import { start, startTurns, tlsOptions, TRANSPORTS, type Opened, type Over } from './start.ts';

const limit = { timeout: 60_000 };
const get = (path: string, ...fields: string[]) => [`GET ${path} HTTP/1.1`, 'Host: a', ...fields, '', ''].join('\r\n');
const post = (length: number, ...fields: string[]) =>
  get('/', `Content-Length: ${length}`, ...fields).replace('GET', 'POST');
const LAST = get('/last', 'Connection: close');
const LONG = Buffer.alloc(20_000_000, 'x'); // more than kernels keep

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };
type One = Awaited<ReturnType<typeof startOne>>;

/** A server whose requests are answered by the test, and a connection. */
async function startOne(t: TestContext, over: Over, timeout = 0) {
  const { turns, turn, hold } = startTurns();
  const exchanges: Exchange[] = [];
  const note = (request: IncomingMessage, response: ServerResponse) => exchanges.push({ request, response });
  const server = await start(t, note, over, { turns });
  const timeouts = t.mock.fn();
  server.server.on('timeout', timeouts).timeout = timeout;
  const waits = t.mock.method(turns, 'wait').mock;
  const opened = await server.open();
  const hurries = t.mock.method(turns, 'endAfterOne').mock;
  /** The next exchange. */
  async function next(): Promise<Exchange> {
    await until(() => exchanges.length > 0);
    const exchange = exchanges.shift();
    assert.ok(exchange !== undefined);
    return exchange;
  }
  const { mock } = timeouts;
  return { ...server, ...opened, exchanges, waits, hurries, turn, hold, next, timeouts: () => mock.callCount() };
}

/** Sends bytes; resolves when the server has them. */
async function send({ client, accepted }: Opened, bytes: string): Promise<void> {
  const { bytesRead } = accepted;
  client.write(bytes, 'latin1');
  await until(() => accepted.bytesRead >= bytesRead + bytes.length);
  await iterations();
}

/** Sends a request, answers it with what the client does not read, and resolves when that waits. */
async function stall(one: One): Promise<void> {
  one.client.pause();
  await send(one, get('/'));
  (await one.next()).response.end(LONG);
  await until(() => one.accepted.writableLength > 0);
}

/** Sweeps after what has happened, and then after so many ms each: `timeout` has been emitted so many times. */
function sweep(one: One, ...rows: readonly (readonly [ms: number, timeouts: number])[]): void {
  one.valve.sweep(0);
  for (const [ms, expected] of rows) {
    one.valve.sweep(ms);
    assert.equal(one.timeouts(), expected);
  }
}

for (const over of TRANSPORTS) {
  describe(`over ${over}:`, limit, () => {
    test('requests of a client that has ended reach Node one by one, each after the reply before', async (t) => {
      const one = await startOne(t, over);
      const received = text(one.client);
      one.client.end(get('/0', 'Connection: upgrade', 'Upgrade: x') + get('/1') + get('/2'));
      for (let i = 0; i < 3; i += 1) {
        const { request, response } = await one.next();
        await calm(t, () => one.exchanges.length);
        assert.deepEqual([request.url, one.exchanges.length, one.valve.isIdle], [`/${i}`, 0, false]);
        response.end(`reply ${i}`);
      }
      assert.match(await received, /reply 0.*reply 1.*reply 2/s);
      await closed(one.accepted);
    });

    test('content that a handler does not read stays with its client until it does', async (t) => {
      const one = await startOne(t, over);
      const content = Array.from({ length: 1_000_000 }, (_, i) => `${i},`).join('');
      one.client.write(post(content.length) + content);
      const { request } = await one.next();
      await calm(t, () => one.raw.bytesRead);
      assert.ok(one.raw.bytesRead < 300_000, `${one.raw.bytesRead}`);
      assert.ok(await text(request) === content);
    });

    test('a request is over when its handler takes the last of its content after the reply', async (t) => {
      const one = await startOne(t, over);
      for (const length of [20_000, 70_000, 100_000, 140_000, 300_000]) {
        one.client.write(post(length) + 'x'.repeat(length));
        const { response } = await one.next(); // which does not read
        await calm(t, () => one.raw.bytesRead);
        response.end();
        await until(() => one.valve.isIdle);
        one.client.write(get('/next'));
        (await one.next()).response.end();
      }
    });

    test('a request that its handler has paused for ever is over when it is answered and has come', async (t) => {
      const one = await startOne(t, over);
      await send(one, post(9));
      const { request, response } = await one.next();
      request.once('data', () => request.pause());
      await send(one, `123456789${get('/next')}`);
      response.end();
      assert.equal((await one.next()).request.url, '/next');
    });

    test('while a request waits for its reply, what follows it is not read; then all of it is', async (t) => {
      const one = await startOne(t, over);
      one.client.write(get('/0') + get('/').repeat(100_000));
      await calm(t, () => one.raw.bytesRead);
      const { bytesRead } = one.raw;
      assert.ok(bytesRead < 300_000, `${bytesRead}`);
      one.hurries.resetCalls();
      while (one.raw.bytesRead === bytesRead) (await one.next()).response.end();
      assert.equal(one.hurries.callCount() > 0, over === 'TLS', 'after a read over TLS, others come first');
    });

    test('after the last reply our side ends; what comes is discarded, a read each 50 ms, for a second', async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const one = await startOne(t, over);
      one.client.on('data', () => {});
      await send(one, LAST + get('/more'));
      one.client.write(LONG);
      await calm(t, () => one.raw.bytesRead);
      (await one.next()).response.end();
      await once(one.client, 'end');
      const readIn = async (ms: number) => {
        const { bytesRead } = one.raw;
        t.mock.timers.tick(ms);
        await calm(t, () => one.raw.bytesRead);
        return one.raw.bytesRead - bytesRead;
      };
      for (let i = 0; i < 3; i += 1) {
        assert.equal(await readIn(49), 0);
        const bytes = await readIn(1);
        assert.ok(bytes > 0 && bytes < 300_000, `${bytes}`);
      }
      assert.deepEqual([one.exchanges.length, one.valve.isIdle], [0, true]);
      for (const ms of [1e9, 999]) {
        one.valve.sweep(ms);
        assert.equal(one.valve.destroyed, false);
      }
      one.valve.sweep(1);
      await closed(one.raw);
      t.mock.timers.tick(50);
    });

    test('a client that has ended its side is noticed after 30 s, while its handler works', async (t) => {
      const one = await startOne(t, over);
      one.server.removeAllListeners('timeout');
      one.client.write(get('/'));
      const { request, response } = await one.next();
      for (let i = 0; i < 2; i += 1) one.valve.sweep(1e9); // until then, it has time
      one.client.end();
      await until(() => one.accepted.readableEnded);
      for (const ms of [1e9, 29_999]) {
        one.valve.sweep(ms);
        assert.equal(one.valve.destroyed, false);
      }
      one.valve.sweep(1);
      await until(() => request.closed && response.closed);
      await closed(one.raw);
    });

    test('a client that takes some of a reply now and then has time; one that takes nothing has no more', async (t) => {
      const one = await startOne(t, over, 100);
      await stall(one);
      assert.ok(one.accepted.writableLength <= 64 * 1024, 'in parts, of which each counts');
      for (let i = 0; i < 2; i += 1) {
        sweep(one, [99, 0]);
        const { bytesWritten } = one.accepted;
        one.client.resume();
        await until(() => one.accepted.bytesWritten > bytesWritten);
        one.client.pause();
        await calm(t, () => one.accepted.bytesWritten);
      }
      sweep(one, [99, 0], [1, 1], [1e9, 1]);
      assert.equal(one.valve.isIdle, false);
      one.client.resume();
      await until(() => one.valve.isIdle);
      sweep(one, [99, 1], [1, 2]); // time has begun anew
      await stall(one);
      one.valve.destroy();
      assert.equal(one.accepted.destroyed, true, 'at once, though something waits');
    });

    test('its properties are those of the socket', async (t) => {
      const isTls = over === 'TLS';
      const own = tlsOptions(t);
      const tls = isTls ? { ...own, ca: own.cert, requestCert: true } : undefined;
      const { open } = await start(t, () => {}, over, { tls });
      const { valve, accepted, client } = await open('127.0.0.1', own);
      client.write('G');
      await until(() => accepted.bytesRead === 1);
      for (const name of ['remoteAddress', 'remotePort', 'localAddress', 'localPort', 'bytesRead'] as const) {
        assert.deepEqual([valve[name], Boolean(valve[name])], [accepted[name], true]);
      }
      const isNamed = JSON.stringify(valve.getPeerCertificate()).includes('localhost');
      assert.deepEqual([valve.encrypted, valve.authorized, isNamed], [isTls, isTls, isTls]);
      const mocks = [t.mock.method(accepted, 'setNoDelay').mock, t.mock.method(accepted, 'setKeepAlive').mock];
      valve.setNoDelay(false);
      valve.setKeepAlive(true, 1_234);
      assert.deepEqual(mocks.map(({ calls }) => calls[0]?.arguments), [[false], [true, 1_234]]);
    });

    test('what is written arrives whole, in order and at once, in any encoding; callbacks tell failures', async (t) => {
      const one = await startOne(t, over);
      const calls: boolean[] = [];
      const write = (chunk: string, encoding: BufferEncoding = 'latin1') =>
        one.valve.write(chunk, encoding, (error) => calls.push(error instanceof Error));
      const reads: string[] = [];
      one.client.on('data', (bytes: Buffer) => reads.push(bytes.toString('latin1')));
      for (const [chunks, expected] of [[['', '', 'a', '', '\xe9', ''], 'a\xe9'], [['', ''], '']] as const) {
        one.valve.cork();
        for (const chunk of chunks) write(chunk);
        one.valve.uncork();
        await until(() => calls.length === chunks.length && reads.join('') === expected);
        assert.deepEqual([calls.splice(0).includes(true), reads.splice(0).length], [false, expected === '' ? 0 : 1]);
      }
      write('\xe8');
      write('62', 'hex');
      await until(() => reads.join('') === '\xe8b');
      one.below.resetAndDestroy();
      write('x');
      await closed(one.valve);
      assert.deepEqual(calls, [false, false, true]);
    });

    test('destroyed, it says goodbye over TLS, and closes at a sweep at the latest, or for an error', async (t) => {
      const one = await startOne(t, over);
      await calm(t, () => one.below.bytesRead);
      const { bytesRead } = one.below;
      one.valve.destroy();
      assert.equal(one.accepted.destroyed, false);
      await once(one.client.resume(), 'end');
      assert.equal(one.below.bytesRead > bytesRead, over === 'TLS');
      const swept = await one.open();
      swept.valve.destroy();
      swept.valve.sweep(1);
      one.server.removeAllListeners('connection'); // Node would listen to the error, too
      const failed = await one.open();
      failed.valve.destroy(new Error('It failed.'));
      assert.deepEqual([swept, failed].map(({ accepted }) => accepted.destroyed), [true, true]);
    });
  });
}

describe('time:', limit, () => {
  test('`timeout` comes once, after a time in which nothing passes; empty lines are nothing', async (t) => {
    const one = await startOne(t, 'TCP', 1_000);
    sweep(one, [500, 0]);
    await send(one, '\r\n\r\n');
    assert.equal(one.valve.isIdle, true);
    sweep(one, [499, 0], [1, 1], [1_000, 1]);
    await send(one, 'POST / HTTP/1.1\r\n');
    one.valve.sweep(1e9); // nobody knows when in this time it was sent
    assert.equal(one.valve.isIdle, false);
    sweep(one, [999, 1]);
    await send(one, 'Host: a\r\nContent-Length: 2\r\n\r\n');
    const { response } = await one.next();
    sweep(one, [999, 1]);
    response.write('x');
    await iterations();
    sweep(one, [999, 1], [1, 2]);
    await send(one, 'a');
    sweep(one, [999, 2]);
    await send(one, `b${get('/next')}`);
    response.end();
    await one.next();
    sweep(one, [999, 2]);
    one.client.end();
    await until(() => one.accepted.readableEnded);
    sweep(one, [999, 2], [1, 3]);
    const listener = t.mock.fn();
    assert.equal(one.valve.setTimeout(2_000, listener), one.valve);
    sweep(one, [1_999, 3]);
    one.valve.setTimeout(2_000);
    sweep(one, [1_999, 3], [1, 4]);
    one.valve.write('x');
    sweep(one, [1_999, 4], [1, 5]);
    one.valve.setTimeout(1);
    sweep(one, [1, 6]);
    assert.equal(listener.mock.callCount(), 1);
  });

  test('where Node sets no limit, a client that takes nothing has 30 s', async (t) => {
    const one = await startOne(t, 'TCP');
    await stall(one);
    sweep(one, [29_999, 0], [1, 1]);
  });

  test('none passes for what waits for its turn, except empty lines; what is destroyed waits no more', async (t) => {
    for (const [bytes, expected] of [['GET /', 0], ['\r\n', 1], ['\r\nG', 0]] as const) {
      const one = await startOne(t, 'TCP', 1_000);
      one.hold();
      await send(one, bytes);
      const [{ waiting }] = one.waits.calls[0]?.arguments ?? assert.fail();
      assert.deepEqual([one.waits.callCount(), one.valve.isIdle, waiting.size], [1, false, 1]);
      sweep(one, [1_000, expected]);
      one.valve.destroy();
      assert.deepEqual([waiting.size, one.valve.isIdle], [0, true]);
    }
  });
});

describe('turns:', limit, () => {
  test('a piece of a short read goes ahead at once, and so does content of known length', async (t) => {
    for (const length of [1_024, 1_025]) {
      const one = await startOne(t, 'TCP');
      await send(one, post(1_500, `X: ${'x'.repeat(length - post(1_500, 'X: ').length)}`));
      const { request } = await one.next();
      assert.equal(one.waits.callCount() > 0, length > 1_024);
      one.waits.resetCalls();
      request.resume();
      await send(one, 'x'.repeat(1_500));
      assert.deepEqual([request.complete, one.waits.callCount()], [true, 0]);
    }
  });

  test('each turn passes one piece; what is longer than 1 KiB waits in one queue, the rest in another', async (t) => {
    const one = await startOne(t, 'TCP');
    one.hold();
    const known = new Set<unknown>(); // the queues: that for what is long is seen first
    const waited = () => one.waits.calls.map(({ arguments: [queue] }) => [...known.add(queue)].indexOf(queue));
    for (const [length, ...expected] of [[3_073, 0, 0, 0, 1], [3_072, 0, 0, 1], [80, 1]] as const) {
      one.waits.resetCalls();
      await send(one, get('/', `X: ${'x'.repeat(length - get('/', 'X: ').length)}`));
      for (let i = 1; i <= expected.length; i += 1) {
        assert.deepEqual([waited(), one.exchanges.length], [expected.slice(0, i), 0]);
        one.turn();
      }
      (await one.next()).response.end();
      await until(() => one.valve.isIdle);
    }
    one.waits.resetCalls();
    await send(one, LAST + get('/'));
    one.turn();
    (await one.next()).response.end();
    await until(() => one.valve.writableEnded);
    await send(one, 'x');
    await until(() => one.waits.callCount() === 2);
    assert.deepEqual(waited(), [1, 0]);
  });

  test('while a little waits, one more read joins it, and then reading stops; if much waits, at once', async (t) => {
    for (const reads of [['GET / HT', 'TP/1.1\r\nHost:'], [`GET /${'x'.repeat(1_025)} HTTP/1.1\r\nHost:`]]) {
      const one = await startOne(t, 'TCP');
      one.hold();
      for (const bytes of reads) await send(one, bytes);
      const { bytesRead } = one.accepted;
      one.client.write(' a\r\n\r\n');
      await calm(t, () => one.accepted.bytesRead);
      assert.deepEqual([one.accepted.bytesRead, one.waits.callCount()], [bytesRead, 1]);
      await until(() => {
        one.turn();
        return one.exchanges.length > 0;
      });
      assert.equal(one.hurries.callCount(), 0);
    }
  });
});

describe('ends:', limit, () => {
  const rows: readonly (readonly [what: string, over: Over, act: (one: One) => unknown])[] = [
    ['CONNECT closes the connection without a reply', 'TCP',
      ({ client }) => client.write('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n')],
    ['when its socket closes, it does', 'TCP', ({ accepted }) => accepted.destroy()],
    ['a TLS record that cannot be decrypted ends the connection', 'TLS',
      ({ below }) => below.write(Buffer.concat([Buffer.of(0x17, 3, 3, 0, 32), Buffer.alloc(32)]))],
    ['a last reply before all content has come, which its handler has paused, does not keep it', 'TCP', async (one) => {
      one.client.write(post(LONG.length, 'Connection: close'));
      one.client.write(LONG);
      const { request, response } = await one.next();
      request.once('data', () => request.pause());
      await until(() => request.isPaused());
      response.end();
      await until(() => one.valve.writableFinished);
      for (let i = 0; i < 2; i += 1) one.valve.sweep(1_000);
    }],
  ];
  for (const [what, over, act] of rows) {
    test(what, async (t) => {
      const one = await startOne(t, over);
      one.client.resume();
      await act(one);
      await Promise.all([closed(one.valve), closed(one.raw)]);
      assert.equal(one.client.bytesRead > 0, what.includes('last reply'));
    });
  }

  test('a refusal of Node is idle when its client has taken it', async (t) => {
    const one = await startOne(t, 'TCP');
    one.server.on('clientError', (_, socket) => socket.end(LONG));
    one.client.pause().write('BAD\r\n\r\n');
    await until(() => one.valve.writableLength > 0);
    assert.equal(one.valve.isIdle, false);
    one.client.resume();
    await until(() => one.valve.isIdle);
    assert.equal(one.valve.destroyed, false);
  });
});
