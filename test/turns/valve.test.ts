// What a valve lets through, and when, under a server of node:http. The test calls `sweep`, and so holds the time.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { CLOSE, get } from '../support/exchange.ts';
import { calm, closed, iterations, until } from '../support/sockets.ts';
import { holdTimers } from '../support/timers.ts';
import { start, startTurns, testOver, upload, type Opened, type Over } from './start.ts';

const COUNT = Array.from({ length: 100_000 }, (_, i) => `${i},`).join('');
const LONG = Buffer.alloc(20_000_000, 'x'); // more than kernels keep

type One = Awaited<ReturnType<typeof startOne>>;

async function startOne(t: TestContext, over: Over, timeout = 0) {
  const { turns, turn, hold } = startTurns();
  const exchanges: { readonly request: IncomingMessage; readonly response: ServerResponse }[] = [];
  const listener: RequestListener = (request, response) => exchanges.push({ request, response });
  const server = await start(t, listener, over, { turns, halfClosed() {} });
  const timeouts = t.mock.fn();
  server.server.on('timeout', timeouts).timeout = timeout;
  async function next() {
    await until(() => exchanges.length > 0);
    return exchanges.shift() ?? assert.fail();
  }
  const opened = await server.open();
  return { ...server, ...opened, over, exchanges, turns, turn, hold, next, timeouts: timeouts.mock };
}

function testBoth(title: string, act: (one: One, t: TestContext) => Promise<void>): void {
  testOver(title, async (over, t) => act(await startOne(t, over), t));
}

async function send({ client, accepted }: Opened, bytes: string): Promise<void> {
  const { bytesRead } = accepted;
  client.write(bytes, 'latin1');
  await until(() => accepted.bytesRead >= bytesRead + bytes.length);
  await iterations();
}

/** Sweeps after what has happened, and then after so many ms each: `timeout` has been emitted so many times. */
function sweep(one: One, ...rows: readonly (readonly [ms: number, timeouts: number])[]): void {
  one.valve.sweep(0);
  for (const [ms, expected] of rows) {
    one.valve.sweep(ms);
    assert.equal(one.timeouts.callCount(), expected);
  }
}

testBoth('while a request waits for its reply, what follows does not pass, and is not read', async (one, t) => {
  one.client.write(get('/').repeat(100_000));
  const { response } = await one.next();
  await calm(t, () => one.raw.bytesRead);
  const { bytesRead } = one.raw;
  assert.ok(bytesRead < 300_000, `${bytesRead}`);
  assert.deepEqual([one.exchanges.length, one.valve.loss], [0, 2]);
  const endings = t.mock.method(one.turns, 'endAfterOne').mock;
  response.end();
  while (one.raw.bytesRead === bytesRead) (await one.next()).response.end();
  assert.equal(endings.callCount() > 0, one.over === 'TLS', 'after a read over TLS, others come first');
});

testBoth('content that nobody reads stays with its client until the reply; then it is over', async (one, t) => {
  for (const length of [9, 20_000, 70_000, 100_000, 140_000, 300_000, 400_000]) {
    const { bytesRead } = one.raw;
    const content = COUNT.slice(0, length);
    one.client.write(upload(length) + content);
    const { request, response } = await one.next();
    if (length === 9) request.once('data', () => request.pause()); // for ever
    await calm(t, () => one.raw.bytesRead);
    assert.ok(one.raw.bytesRead < bytesRead + 300_000, `${one.raw.bytesRead}`);
    if (length === 400_000) assert.ok(await text(request) === content);
    response.end();
    await until(() => one.valve.loss === 0);
  }
});

testBoth('content has no gap, though our side ends while it arrives', async (one) => {
  one.client.pause().write(`${upload(20)}x`);
  const { request } = await one.next();
  const got: unknown[] = [];
  request.setEncoding('latin1').on('data', (part) => got.push(part));
  await until(() => got.length === 1);
  one.valve.end(LONG);
  await send(one, 'y');
  one.client.resume();
  await until(() => one.valve.writableFinished);
  await send(one, 'z');
  assert.deepEqual(got, ['x']);
});

testBoth('after the last reply, what comes is discarded, a read each 50 ms, for a second', async (one, t) => {
  holdTimers(t, 'setTimeout');
  one.client.resume().write(upload(LONG.length, CLOSE));
  one.client.write(LONG);
  const { request, response } = await one.next();
  request.once('data', () => request.pause());
  await calm(t, () => one.raw.bytesRead);
  response.end();
  await iterations();
  sweep(one, [500, 0]);
  t.mock.timers.tick(1_000); // its content has not arrived until then
  await once(one.client, 'end');
  for (const [ms, most] of [[49, 0], [1, 300_000], [49, 0], [1, 300_000]] as const) {
    const { bytesRead } = one.raw;
    t.mock.timers.tick(ms);
    await calm(t, () => one.raw.bytesRead);
    const bytes = one.raw.bytesRead - bytesRead;
    assert.ok(bytes <= most && (bytes > 0) === (most > 0), `${bytes}`);
  }
  sweep(one, [999, 0]);
  assert.deepEqual([one.valve.loss, one.valve.destroyed], [0, false]);
  one.valve.sweep(1);
  await closed(one.raw);
});

testBoth('what waits for its turn when the last reply ends waits once, to be discarded', async (one, t) => {
  holdTimers(t, 'setTimeout');
  one.client.resume().write(upload(9, CLOSE));
  const { response } = await one.next();
  one.hold();
  for (const byte of 'xy') await send(one, byte); // the second read stops reading
  response.end();
  await iterations();
  for (const ms of [1_000, 50]) t.mock.timers.tick(ms);
  const { short, long } = one.valve.connection.client;
  assert.equal(short.size + long.size, 1);
});

testBoth('where Node sets no limit, a client may take nothing for 30 s, and longer if much is sent', async (one, t) => {
  const limit = () => 30_000 + Math.ceil(Math.min(one.accepted.bytesWritten, 4 * 1024 * 1024) / 3);
  one.client.pause().write(get('/'));
  const { response } = await one.next();
  response.flushHeaders(); // then the content is a write of its own
  response.end(LONG);
  await calm(t, () => one.accepted.bytesWritten);
  assert.ok(one.accepted.writableLength <= 64 * 1024, 'in parts, of which each counts');
  sweep(one, [limit() - 1, 0]);
  const { bytesWritten } = one.accepted;
  one.client.resume();
  await until(() => one.accepted.bytesWritten > bytesWritten);
  one.client.pause();
  await calm(t, () => one.accepted.bytesWritten);
  sweep(one, [limit() - 1, 0], [1, 1], [1e9, 1]);
  assert.equal(one.valve.loss, 2);
  one.valve.destroy();
  await closed(one.accepted); // though something waits
});

testBoth('its properties are those of the socket', async (one, t) => {
  await send(one, 'G');
  const valve: object = one.valve;
  const seen = (socket: object, name: string): unknown => {
    const member: unknown = Reflect.get(socket, name);
    return typeof member === 'function' ? ['called', Reflect.apply(member, socket, [])] : member;
  };
  for (const name of [
    'remoteAddress', 'remotePort', 'remoteFamily', 'localAddress', 'localPort', 'localFamily', 'bytesRead',
    'bytesWritten', 'connecting', 'pending', 'readyState', 'address', 'encrypted', 'authorized', 'authorizationError',
    'alpnProtocol', 'servername', 'getCipher', 'getPeerCertificate', 'getPeerX509Certificate', 'getProtocol',
    'isSessionReused',
  ]) assert.deepEqual(seen(valve, name), seen(one.accepted, name), name);
  for (const [name, ...args] of [['setNoDelay', false], ['setKeepAlive', true, 1_234], ['ref'], ['unref']] as const) {
    const { mock } = t.mock.method(one.accepted, name);
    assert.equal(Object(valve)[name](...args), one.valve);
    assert.deepEqual(mock.calls[0]?.arguments, args);
  }
  assert.equal(Object.assign(valve, { encrypted: 'set' }).encrypted, 'set');
  t.mock.method(one.accepted, 'resetAndDestroy', one.accepted.destroy); // Node resets no TLS socket
  Object(valve).resetAndDestroy();
  await closed(one.valve);
});

testBoth('what is written arrives as it is, in order and at once; callbacks tell failures', async (one) => {
  const failures: boolean[] = [];
  const write = (chunk: string) => one.valve.write(chunk, 'latin1', (error) => failures.push(error instanceof Error));
  one.client.setEncoding('latin1');
  for (const chunks of [['', '', 'a', '', '\xe9', ''], ['b', '', 'c']]) {
    one.valve.cork();
    for (const chunk of chunks) write(chunk);
    one.valve.uncork();
    assert.deepEqual(await once(one.client, 'data'), [chunks.join('')]);
  }
  write('\xe8');
  assert.equal(one.valve.writableLength, 'encrypted' in one.accepted ? 1 : 0); // over TCP, the kernel has it at once
  assert.deepEqual(await once(one.client, 'data'), ['\xe8']);
  one.below.resetAndDestroy();
  write('x');
  await closed(one.valve);
  assert.deepEqual(failures, [...Array(10).fill(false), true]);
});

testBoth('destroyed, it closes at a sweep at the latest', async (one, t) => {
  await calm(t, () => one.below.bytesRead);
  const { bytesRead } = one.below;
  one.valve.destroy();
  assert.equal(one.accepted.destroyed, false);
  await once(one.client.resume(), 'end');
  assert.equal(one.below.bytesRead > bytesRead, one.over === 'TLS');
  const swept = await one.open();
  t.mock.method(swept.accepted, 'destroySoon', () => {}); // as long as a client does not take what is sent
  swept.valve.destroy();
  swept.valve.sweep(1);
  one.server.removeAllListeners('connection'); // Node would listen to the error, too
  const failed = await one.open();
  failed.valve.destroy(new Error('It failed.'));
  await Promise.all([swept, failed].map(async ({ accepted }) => closed(accepted)));
});

test('`timeout` comes once, after a time in which nothing passes', async (t) => {
  const one = await startOne(t, 'TCP', 1_000);
  sweep(one, [500, 0]);
  await send(one, '\r\n\r\n');
  sweep(one, [499, 0], [1, 1], [1_000, 1]);
  await send(one, 'GET / HTTP/1.1\r\n');
  one.valve.sweep(1e9); // nobody knows when in this time it was sent
  sweep(one, [999, 1]);
  await send(one, 'Host: a\r\n\r\n');
  const { response } = await one.next();
  sweep(one, [999, 1], [1, 2]);
  response.write('x');
  await iterations();
  sweep(one, [999, 2], [1, 3]);
  one.valve.setTimeout(0);
  sweep(one, [1e9, 3]);
  one.client.end();
  await until(() => one.accepted.readableEnded);
  sweep(one, [29_999, 3], [1, 4]); // there is a limit for clients that have ended their side
  const listener = t.mock.fn();
  assert.equal(one.valve.setTimeout(2_000, listener), one.valve);
  sweep(one, [1_999, 4], [1, 5]);
  one.valve.setTimeout(1);
  sweep(one, [1, 6]);
  assert.equal(listener.mock.callCount(), 1);
});

test('no time passes for what waits for its turn, except empty lines', async (t) => {
  for (const [bytes, expected] of [['G', 0], ['\r\n', 1], ['\r\nG', 0]] as const) {
    const one = await startOne(t, 'TCP', 1_000);
    one.hold();
    await send(one, bytes);
    assert.equal(one.valve.loss, 1);
    sweep(one, [1_000, expected]);
    one.valve.destroy();
    assert.equal(one.valve.loss, 0);
  }
});

test('no 408 for who waits for a turn, and one later for who has not sent all', async (t) => {
  holdTimers(t, 'setTimeout');
  for (const [start, end, expected] of [
    ['GET /', '\r\n\r\n', 'answered'], ['CONNECT a:80', '\r\n\r\n', 'taken over'],
    ['GET /', '', 'refused'], ['GET /', '', 'closed'], ['GET /', '', 'gone'], // the rest never comes
  ] as const) {
    const one = await startOne(t, 'TCP');
    const refuse = t.mock.fn();
    if (expected !== 'closed') one.server.on('clientError', refuse);
    one.server.on('connect', () => {});
    const error = Object.assign(new Error('As of Node.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    const emitLate = () => assert.equal(one.server.emit('clientError', error, one.valve), true);
    one.hold();
    await send(one, `${start} HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(9_000)}${end}`); // three pieces
    for (const [isLate, ms] of [[true, 1_000], [true, 1_000], [false, 999]] as const) {
      if (isLate) emitLate(); // the first time, of what came before this request
      one.turn();
      t.mock.timers.tick(ms);
      assert.deepEqual([refuse.mock.callCount(), one.valve.destroyed], [0, false]);
    }
    if (expected === 'gone') one.valve.destroy(); // nobody hears of it any more
    t.mock.timers.tick(1);
    assert.equal(refuse.mock.callCount(), expected === 'refused' ? 1 : 0);
    assert.equal(one.valve.destroyed, expected === 'closed' || expected === 'gone');
    if (expected === 'answered') (await one.next()).response.end();
    one.valve.destroy();
  }
});

const head = (length: number) => get('/', `X: ${'x'.repeat(length - get('/', 'X: ').length)}`);

test('a piece of a short read goes ahead, and so does content of known length; others wait for turns', async (t) => {
  const one = await startOne(t, 'TCP');
  one.hold({ mayGoAhead: true });
  await send(one, upload(1_500));
  const { request, response } = await one.next();
  request.resume();
  await send(one, 'x'.repeat(1_500));
  assert.equal(request.complete, true);
  response.end();
  await until(() => one.valve.loss === 0);
  await send(one, head(12_289)); // of 4 KiB, and a byte
  for (let i = 0; i < 4; i += 1) {
    assert.equal(one.exchanges.length, 0);
    one.turn();
  }
  await one.next();
});

test('what is short does not wait behind all that is long', async (t) => {
  const one = await startOne(t, 'TCP');
  const others = [await one.open(), await one.open()];
  await iterations(); // turns are taken again: they are not in the iteration that accepts a connection
  one.hold();
  for (const [i, each] of [one, ...others].entries()) await send(each, head(i < 2 ? 10_000 : 100));
  for (let i = 0; i < 2; i += 1) one.turn();
  assert.ok(String((await one.next()).request.headers['x']).length < 100);
});

test('while a little waits, one more read joins it, and none while much does', async (t) => {
  for (const reads of [['GET / HT', 'TP/1.1\r\nHost:'], [`GET /${'x'.repeat(4_097)} HTTP/1.1\r\nHost:`]]) {
    const one = await startOne(t, 'TCP');
    one.hold();
    for (const bytes of reads) await send(one, bytes);
    const { bytesRead } = one.accepted;
    one.client.write(' a\r\n\r\n');
    await calm(t, () => one.accepted.bytesRead);
    assert.equal(one.accepted.bytesRead, bytesRead);
    await until(() => {
      one.turn();
      return one.exchanges.length > 0;
    });
  }
});
