// What becomes of connections: whose events they have, when they end early, and what a client leaves behind.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { Duplex, duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { createFairServer } from '../../src/turns/fair-server.ts';
import { Room } from '../../src/turns/room.ts';
import { calm, closed, NO_UNIX, until } from '../support/sockets.ts';
import { get, post, start, startTurns, TRANSPORTS, type Opened } from './start.ts';

const GET = get('/');
const hello = (_: unknown, response: ServerResponse) => void response.end('hello');

/** Sends each of these as a write of its own: over TLS, as a record. */
async function send({ client }: Opened, parts: Iterable<string>): Promise<void> {
  for (const part of parts) await new Promise((resolve) => client.write(part, resolve));
}

test('a slow handshake ends, and so does what is mostly records of a byte, but no large request', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { mock } = t.mock.method(performance, 'now');
  mock.mockImplementation(() => 0);
  const failed = t.mock.fn();
  const { dial, open } = await start(t, hello, 'TLS', { failed, sweepMs: 1_000 });
  const [silent, large, wasteful] = [await dial(), await open(), await open()];
  await send(large, [post(80_000), ...Array<string>(10).fill('x'.repeat(8_000))]);
  await send(wasteful, ['GET /', ...'x'.repeat(4_000)]);
  await until(() => wasteful.accepted.bytesRead > 4_000 && large.accepted.bytesRead > 80_000);
  for (const [now, ...reasons] of [[9_999, 'tlsOverhead'], [10_001, 'tlsOverhead', 'handshakeTooSlow']] as const) {
    mock.mockImplementation(() => now);
    t.mock.timers.tick(1_000);
    assert.deepEqual(failed.mock.calls.map(({ arguments: [reason] }) => reason), reasons);
  }
  assert.deepEqual([silent, large, wasteful].map(({ raw }) => raw.destroyed), [true, false, true]);
});

test('what was reset before it is accepted is not served', { skip: NO_UNIX }, async (t) => {
  const { server, port } = await start(t, hello, 'TCP');
  const [accepted, served] = [t.mock.fn(), t.mock.fn()];
  server.on('connection', served).listener.on('connection', accepted);
  for (let i = 0; i < 10; i += 1) {
    const client: Socket = connect(port, '127.0.0.1', () => client.resetAndDestroy());
  }
  await until(() => accepted.mock.callCount() === 10); // one in each iteration
  assert.ok(served.mock.callCount() < 5);
});

test('of each second, 1,000 bytes may be overhead, and 64 KiB more, but no credit is saved', () => {
  const connection = new Room(1).add(new Socket(), () => {});
  for (const [bytes, content, isWasteful] of [
    [70_536, 1_000, false], [71_537, 1_000, true],
    [140_000, 140_000, false], [206_536, 140_000, false], [207_537, 140_000, true],
  ] as const) {
    Object.defineProperty(connection.socket, 'bytesRead', { value: bytes, configurable: true });
    connection.valve = Object.assign(new Duplex(), { isIdle: true, bytesRead: content, sweep() {} });
    assert.equal(connection.isWasteful(1_000), isWasteful);
  }
});

test('a handshake starts in a turn, the last of its iteration; what has closed gets none', async (t) => {
  const { turns, hold, turn } = startTurns();
  hold();
  const endAfterOne = t.mock.fn(turns.endAfterOne);
  const failed = t.mock.fn();
  const { dial } = await start(t, hello, 'TLS', { failed, turns: { ...turns, endAfterOne } });
  const [closing, leaving, staying] = [await dial('127.0.0.2'), await dial('127.0.0.3'), await dial()];
  for (const { below, raw } of [closing, leaving, staying]) {
    connectTls({ socket: below, rejectUnauthorized: false }).on('error', () => {});
    await until(() => raw.bytesRead > 0);
  }
  turn(); // the end of the iteration that has accepted them
  closing.raw.destroy();
  turn();
  leaving.raw.destroy();
  await closed(leaving.raw);
  await calm(t, () => staying.raw.bytesWritten);
  assert.equal(staying.raw.bytesWritten, 0);
  await until(() => {
    turn();
    return staying.raw.bytesWritten > 0;
  });
  assert.equal(endAfterOne.mock.callCount(), 1);
  assert.deepEqual(failed.mock.calls.map(({ arguments: [reason] }) => reason), ['tlsFailed', 'tlsFailed']);
});

test('a connection that a listener closes at the end of the handshake is not served', async (t) => {
  const { server, dial } = await start(t, hello, 'TLS');
  server.on('secureConnection', server.closeAllConnections).on('connection', () => assert.fail('It is served.'));
  const { below, raw } = await dial();
  connectTls({ socket: below, rejectUnauthorized: false }).on('error', () => {});
  await closed(raw);
});

test('a connection that is not from the listener is served without turns', async (t) => {
  const { server } = await start(t, hello, 'TCP');
  const [own, other] = duplexPair();
  server.emit('connection', Object.assign(own, { setTimeout: () => own }));
  other.write(get('/', 'Connection: close'));
  assert.match(await text(other), /hello$/);
  server.leaveBehind(own)(); // which changes nothing
});

test('certificates of clients cannot be requested, because nobody would verify them', () => {
  assert.throws(() => createFairServer({ tls: Object({ requestCert: true }) }), TypeError);
});

test('what Node tells of a connection is told in no context of a request, as without turns', async (t) => {
  const storage = new AsyncLocalStorage<number>();
  let count = 0;
  const { server, open } = await start(t, (_, response) => {
    count += 1;
    storage.run(count, () => setImmediate(() => response.end('x'.repeat(100))));
  }, 'TCP');
  const stores: unknown[] = [];
  const note = (): unknown => stores.push(storage.getStore());
  server.on('clientError', (_, socket) => {
    note();
    socket.destroy();
  });
  server.on('connect', (_, socket) => {
    note();
    socket.on('data', note).on('end', note).resume();
    socket.write('x', note);
  });
  for (let i = 0; i < 10; i += 1) (await open('127.0.0.2')).client.resume().write(GET.repeat(30_000)); // until the end
  const ends: Promise<unknown>[] = [];
  for (let i = 0; i < 10; i += 1) {
    const failing = await open('127.0.0.3');
    failing.client.write(`${GET}BAD\r\n\r\n`);
    const connecting = await open('127.0.0.4');
    connecting.client.write(`${GET.repeat(2)}${GET.replace('GET /', 'CONNECT a:80')}`);
    connecting.client.on('data', () => connecting.client.write('x'.repeat(10_000)));
    ends.push(closed(failing.raw), once(connecting.client.resume(), 'data'));
  }
  await Promise.all(ends);
  await until(() => stores.length >= 40);
  assert.deepEqual(stores.filter((store) => store !== undefined), []);
});

for (const over of TRANSPORTS) {
  for (const how of ['ends', 'resets', 'pipelines and ends'] as const) {
    test(`over ${over}, a handler hears at once of a client that ${how}, as without turns`, async (t) => {
      const exchanges: (readonly [IncomingMessage, ServerResponse])[] = [];
      const { open } = await start(t, (...exchange) => exchanges.push(exchange), over);
      const { client, below } = await open();
      client.write(GET.repeat(how.startsWith('pipelines') ? 2 : 1));
      await until(() => exchanges.length === 1);
      const [[request, response] = assert.fail()] = exchanges;
      response.write('begun');
      const areClosed = Promise.all([request, response].map(closed));
      if (how === 'resets') below.resetAndDestroy();
      else client.end();
      if (how.startsWith('pipelines')) {
        await calm(t, () => exchanges.length);
        assert.equal(response.closed, false, 'the next request waits');
        response.end();
        await until(() => exchanges.length === 2);
        await Promise.all(exchanges.flat().map(closed));
      }
      await areClosed;
    });
  }
}

for (const over of TRANSPORTS) {
  test(`over ${over}, what a client has left behind counts with its connections, also if all are closed`, async (t) => {
    const responses: ServerResponse[] = [];
    const dropped: string[] = [];
    const options = { maxConnections: 3, dropped: (reason: string) => dropped.push(reason) };
    const { server, open, dial } = await start(t, (_, response) => responses.push(response), over, options);
    const ends: (() => void)[] = [];
    server.on('request', ({ socket }, response) => response.on('close', () => ends.push(server.leaveBehind(socket))));
    const begin = async () => {
      const begun = await open('127.0.0.2');
      const { length } = responses;
      begun.client.write(GET);
      await until(() => responses.length === length + 1);
      return begun;
    };
    const [resetting] = [await begin(), await begin()];
    resetting.below.resetAndDestroy();
    await until(() => ends.length === 1);
    server.closeAllConnections();
    await until(() => ends.length === 2);
    const last = await begin();
    const refused = await dial('127.0.0.2');
    await closed(refused.raw);
    await open('127.0.0.3'); // nobody else is refused
    assert.deepEqual([dropped, last.raw.destroyed], [['newRefused'], false]);
    ends.shift()?.();
    await begin();
  });
}
