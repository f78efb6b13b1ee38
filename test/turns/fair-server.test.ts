// The listener and its server: what is accepted, swept and closed, and when.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { ServerResponse } from 'node:http';
import net, { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { createFairServer, createRoom } from '../../src/turns/fair-server.ts';
import { createTurns } from '../../src/turns/turns.ts';
import { get, GET, LAST } from '../support/exchange.ts';
import { calm, closed, iterations, listenOnPort, NO_UNIX, until } from '../support/sockets.ts';
import { holdTimers } from '../support/timers.ts';
import { beginTls, hello, openOf, start, startTurns, testOver } from './start.ts';

testOver('at the stop, idle connections close after 250 ms, and others at sweeps', async (over, t) => {
  holdTimers(t, 'setTimeout', 'setInterval');
  const responses: ServerResponse[] = [];
  const { turns, turn, hold } = startTurns();
  const isBalancer = (address?: string) => address === '127.0.0.2';
  const { open, dial, server, reasons } =
    await start(t, (_, response) => responses.push(response), over, { sweepMs: 500, turns, isBalancer });
  const [silent, idle, begun, held] = [await dial('127.0.0.2'), await open(), await open(), await open()];
  const header = 'PROXY UNKNOWN\r\n';
  silent.below.write(header); // and no more
  const shaking = await dial();
  shaking.below.write(over === 'TLS' ? '\x16' : 'G');
  await until(() => silent.raw.bytesRead === header.length && shaking.raw.bytesRead === 1);
  begun.client.write(GET);
  await until(() => responses.length === 1);
  responses[0]?.flushHeaders(); // so nothing tells its client that it is the last
  t.mock.timers.tick(800); // a sweep, before the stop
  const lingering = await open();
  lingering.client.resume().write(LAST);
  await until(() => responses.length === 2);
  responses.pop()?.end();
  await until(() => lingering.valve.writableFinished);
  let isOver = false;
  const closing = once(server.close(), 'close').then(() => { isOver = true; });
  assert.equal(server.listening, false);
  await iterations();
  assert.equal(server.listener.listening, false, 'nobody waits in the kernel');
  t.mock.timers.tick(249); // a sweep
  assert.deepEqual(openOf({ silent, idle }), ['silent', 'idle']);
  hold();
  held.client.write(GET);
  await until(() => held.valve.loss > 0); // it waits for a turn, and Node does not know of it
  t.mock.timers.tick(1);
  await Promise.all([closed(idle.raw), closed(silent.raw)]);
  turn();
  const reply = once(held.client, 'data');
  await until(() => responses.length === 2);
  for (const response of responses) response.end();
  assert.match(String(await reply), /^connection: close/mi);
  await until(() => begun.valve.loss === 0);
  assert.deepEqual(openOf({ begun, held, lingering }), ['begun', 'held', 'lingering']);
  t.mock.timers.tick(450); // the sweep
  await closed(begun.raw);
  assert.deepEqual(openOf({ held, lingering, shaking }), ['held', 'lingering', 'shaking']);
  assert.deepEqual({ isOver, reasons }, { isOver: false, reasons: [] });
  shaking.below.destroy();
  t.mock.timers.tick(1_500);
  await closing;
});

test('it listens as Node does', async (t) => {
  const { mock } = t.mock.method(net, 'createServer');
  const { server, port, open } = await start(t, hello, 'TCP', { keepAlive: true, keepAliveInitialDelay: 9 });
  const { address, port: bound } = Object(server.address());
  const count = promisify(server.getConnections)();
  assert.deepEqual([server.listening, address, bound, await count], [true, '127.0.0.1', port, 0]);
  const mocks = (['ref', 'unref'] as const).map((name) => t.mock.method(server.listener, name).mock);
  assert.deepEqual([server.ref(), server.unref(), ...mocks.map((one) => one.callCount())], [server, server, 1, 1]);
  const { keepAlive, keepAliveInitialDelay, noDelay } = Object(mock.calls[0]?.arguments[0]);
  assert.deepEqual([keepAlive, keepAliveInitialDelay, noDelay], [true, 9, true]); // small replies are not delayed
  const other = createFairServer({ maxConnections: 1 });
  assert.equal(other.listen(port, '127.0.0.1'), other);
  await assert.rejects(once(other, 'listening'), { code: 'EADDRINUSE' });
  await once(other.close(), 'close');
  for (let i = 0; i < 2; i += 1) other.listen(0).unref().close();
  await iteration();
  assert.equal(other.listener.listening, false, 'nothing is accepted, for which Node would check no time limits');
  server.maxConnections = 1;
  assert.equal(server.maxConnections, 1);
  await open();
  const dropped = connect({ port, host: '127.0.0.1' }).on('error', () => {}).resume();
  await Promise.all([once(server, 'drop'), closed(dropped)]);
});

test('it is made as by `http.createServer`', async (t) => {
  class Own<Request extends http.IncomingMessage> extends ServerResponse<Request> {}
  const own = (_: unknown, response: ServerResponse) =>
    void response.end(response instanceof Own ? 'own' : response.constructor.name);
  for (const [server, reply] of [
    [createFairServer(own), /ServerResponse$/], [createFairServer({ ServerResponse: Own }).on('request', own), /own$/],
  ] as const) {
    const port = await listenOnPort(server.on('secureConnection', () => assert.fail('It has no TLS.')));
    t.after(() => server.close());
    const client = connect({ port, host: '127.0.0.1' });
    client.write(LAST);
    assert.match(await text(client), reply);
  }
});

test('an option that is not accepted is heard of where the server is made, with its value', () => {
  for (const [option, value, message] of [
    ['maxConnections', NaN, 'maxConnections is NaN: a whole number from 1 is accepted.'],
    ['maxConnections', 0, /is 0:/], ['maxConnections', '10', /is '10':/], ['maxConnections', 1.5, /is 1.5:/],
    ['room', null, 'room is null: what createRoom returns is accepted.'], ['tls', ['pem'], /is \[Array\]:/],
    ['tls', null, 'tls is null: an object, such as { cert, key }, is accepted.'],
    ['tls', { requestCert: true }, 'Certificates of clients cannot be requested.'],
    ['isBalancer', ['10.0.0.0/8'], 'isBalancer is [Array]: a function is accepted.'],
    ['key', 'secret'.repeat(9), /^cert or key is 'secretsecretsecretse'\.{3} 34 .*: for HTTPS, tls: { cert, key } is/],
  ] as const) {
    const invalid = { name: 'TypeError', message };
    assert.throws(() => Reflect.apply(createFairServer, undefined, [{ [option]: value }]), invalid);
    if (option === 'maxConnections') assert.throws(() => Reflect.apply(createRoom, undefined, [value]), invalid);
  }
  for (const none of ['8080', [], null]) {
    const invalid = { code: 'ERR_INVALID_ARG_TYPE', message: /^options is .*: an object is accepted\.$/ };
    assert.throws(() => Reflect.apply(createFairServer, undefined, [none]), invalid);
  }
  createFairServer(Object({ tls: {}, key: '' }));
});

testOver('with fake timers, a client that leaves is noticed, and `close` ends', async (over, t) => {
  const { server, open } = await start(t, (_, response) => response.flushHeaders(), over, { sweepMs: 10 });
  const called: string[] = [];
  for (const name of ['setTimeout', 'setInterval', 'clearInterval', 'setImmediate'] as const) {
    t.mock.method(globalThis, name, () => called.push(name));
  }
  t.mock.getter(globalThis, 'performance', () => called.push('performance'));
  const { client, raw } = await open();
  client.write(GET);
  await once(client, 'data');
  client.end();
  await closed(raw);
  await once(server.close(), 'close');
  assert.deepEqual(called, []);
});

test('it tells of each `close` as Node does, and listens again at once after it', async () => {
  async function run(server: http.Server): Promise<unknown[]> {
    const close = () => new Promise((done) => server.close((error) => done([Object(error).code, error?.message])));
    const listen = () => server.listen({ port: 0, host: '127.0.0.1' });
    const seen = [await close()];
    const abort = new AbortController();
    await once(server.listen({ port: 0, host: '127.0.0.1', signal: abort.signal }), 'listening');
    abort.abort();
    await once(server, 'close');
    for (const none of ['SIGTERM', null, {}]) Reflect.apply(server.close, server, [none]);
    await once(server, 'close');
    const tooLate = () => seen.push('It listens.');
    listen().once('listening', tooLate);
    seen.push(server.listening, ...await Promise.all([close(), close()]), server.listening);
    server.off('listening', tooLate);
    await once(listen(), 'listening');
    const ending = close();
    await once(listen(), 'listening');
    assert.throws(listen, { code: 'ERR_SERVER_ALREADY_LISTEN' });
    await iterations(); // the stop before has no effect any more
    for (const event of ['close', 'listening']) server.once(event, () => seen.push(event));
    const isListening = new Promise((resolve) => server.close().listen(0, function listening(this: unknown) {
      seen.push('called back');
      resolve(this);
    }));
    seen.push(await isListening === server, await ending, await close());
    return seen;
  }
  assert.deepEqual(await run(createFairServer()), await run(http.createServer()));
});

testOver('whoever takes a connection over gets all, and hears that its client leaves', async (over, t) => {
  const { server, open } = await start(t, hello, over);
  for (const [event, begin, how] of [
    ['upgrade', get('/', 'Connection: upgrade', 'Upgrade: x'), 'ends'], ['connect', 'CONNECT a:80\n\r\n', 'resets'],
  ] as const) {
    const taking = once(server, event);
    const { client, below } = await open();
    client.write(`${begin}head`);
    const [, socket, head] = await taking;
    assert.equal(String(head), 'head');
    const hasLeft = once(socket, how === 'ends' ? 'end' : 'error'); // though nobody reads
    if (how === 'ends') client.end();
    else below.resetAndDestroy();
    await hasLeft;
  }
});

testOver('`clientError` comes once, though its listener leaves the connection open', async (over, t) => {
  const { server, open } = await start(t, hello, over);
  const listener = t.mock.fn();
  server.on('clientError', listener);
  const { client } = await open();
  client.write(`BAD\r\n\r\n${GET.repeat(10)}`);
  await until(() => listener.mock.callCount() > 0);
  await calm(t, () => listener.mock.callCount());
  assert.equal(listener.mock.callCount(), 1);
});

test('a request that comes with the end of the TLS handshake is answered on its socket, or refused', async (t) => {
  const secured = new Set<unknown>();
  const { server, port } = await start(t, (request, response) => {
    response.end(secured.has(request.socket) ? 'hello' : 'on another socket');
    request.destroy();
  }, 'TLS');
  server.on('secureConnection', (socket) => secured.add(socket));
  const long = 'x'.repeat(1_500);
  for (const [bytes, reply] of [[get(`/${long}`), /hello$/], [`BAD${long}\r\n\r\n`, /^HTTP\/1.1 400 /]] as const) {
    const client = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    client.write(bytes);
    assert.match(await text(client), reply);
  }
});

test('while a connection is open, it may listen again, as at first', async (t) => {
  holdTimers(t, 'setTimeout', 'setInterval');
  const { server, port, open } = await start(t, hello, 'TCP', { sweepMs: 1_000 });
  const first = await open();
  for (let i = 0; i < 2; i += 1) {
    server.close();
    await until(() => !server.listener.listening);
    await once(server.listen(port, '127.0.0.1'), 'listening');
  }
  const sweeps = t.mock.method((await open()).valve, 'sweep').mock;
  t.mock.timers.tick(1_000);
  await iterations();
  assert.deepEqual([sweeps.callCount(), first.raw.destroyed], [1, false], 'the stop is over');
  const isClosed = once(server.close(), 'close');
  await until(() => !server.listener.listening);
  t.mock.timers.tick(250);
  await isClosed;
});

test('without `halfClosed`, too, who ends its side gets replies to all that it has sent', async (t) => {
  const { client } = await (await start(t, hello, 'TCP')).open();
  client.end(GET.repeat(9));
  assert.equal((await text(client)).split('HTTP/1.1 200 OK').length, 10);
});

test('it accepts what waits in the kernel at the stop, for 250 ms', { skip: NO_UNIX }, async (t) => {
  holdTimers(t, 'setTimeout');
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  for (const [afterMs, isInTime] of [[249, true], [250, false]] as const) {
    const { server, dial, port } = await start(t, hello, 'TCP', { turns: createTurns() });
    await dial(); // so this iteration is past accepting
    const clients = Array.from({ length: 100 }, () => connect({ port, host: '127.0.0.1' }).end(GET));
    const replies = Promise.all(clients.map((client) => text(client).catch(String)));
    const isOver = once(server.close(), 'close');
    await iterations();
    now += afterMs;
    assert.equal((await replies).every((reply) => reply.startsWith('HTTP/1.1 200 ')), isInTime);
    t.mock.timers.tick(250);
    await isOver;
  }
});

test("who has reset in the kernel's queue is not served", async (t) => {
  const { server, port } = await start(t, hello, 'TCP');
  const served: unknown[] = [];
  server.on('connection', ({ remoteAddress }) => served.push(remoteAddress)); // undefined: it has been reset
  const dial = () => connect({ port, host: '127.0.0.1' }).on('error', () => {});
  await Promise.all(Array.from({ length: 20 }, dial).map(async (client) => {
    await once(client, 'connect');
    client.resetAndDestroy();
  }));
  await text(dial().end(GET)); // is accepted after them
  assert.ok(served.every((address) => address !== undefined), `${served}`);
});

test('who resets at the end of the TLS handshake, or is closed by a listener then, is not served', async (t) => {
  const { server, dial } = await start(t, hello, 'TLS');
  server.on('connection', () => assert.fail('It is served.'));
  const begin = async (act: (below: Socket, client: Socket) => unknown) => {
    const { below, raw } = await dial();
    const client = beginTls(below).once('secureConnect', () => act(below, client));
    await closed(raw);
  };
  for (const bytes of ['', 'G', 'x'.repeat(1_000)]) { // the server may read no more than this
    await begin((below, client) => client.write(bytes, () => setImmediate(() => below.resetAndDestroy())));
  }
  server.on('secureConnection', server.closeAllConnections);
  await begin(() => {});
});

test('who resets with the end of the TLS handshake leaves nothing open', async (t) => {
  const { server, dial } = await start(t, (_, response) => void response.end(Buffer.alloc(300_000)), 'TLS');
  const { below, raw } = await dial();
  server.on('secureConnection', () => below.resetAndDestroy());
  const client = beginTls(below).once('secureConnect', () => client.write(GET + get('/', `X: ${'x'.repeat(5_000)}`)));
  await closed(below);
  await calm(t, server.openConnections);
  assert.equal(raw.destroyed, true);
});

test('a reply in thousands of pieces, from a source that never waits, leaves iterations to others', async (t) => {
  const source = Readable.from(Array<string>(50_000).fill('xxxxxxxx'));
  const { open } = await start(t, (_, response) => source.pipe(response), 'TCP');
  const { client } = await open();
  client.write(LAST);
  const reply = text(client);
  await once(source, 'resume');
  let count = 0;
  for (; !source.readableEnded; count += 1) await iteration();
  assert.ok(count > 3, `${count}`);
  assert.equal((await reply).match(/x/g)?.length, 400_000);
});
