// What becomes of connections: whose events they have, and when they end early.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { Duplex, duplexPair } from 'node:stream';
import { test } from 'node:test';
import { createRoom } from '../../src/turns/room.ts';
import { GET } from '../support/exchange.ts';
import { keyUpdates } from '../support/key-updates.ts';
import { calm, closed, startPair, until } from '../support/sockets.ts';
import { holdTimers } from '../support/timers.ts';
import { beginTls, FORGED, hello, openOf, start, startTurns, testOver, type Opened } from './start.ts';

testOver('what is not served within 10 s is closed', async (over, t) => {
  holdTimers(t, 'setInterval');
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const isBalancer = (address?: string) => over === 'TCP' && address === '127.0.0.2';
  const { dial, open, reasons } = await start(t, hello, over, { sweepMs: 1_000, isBalancer });
  const [silent, served] = [await dial('127.0.0.2'), await open()];
  for (now of [9_999, 10_000]) {
    assert.equal(silent.raw.destroyed, false);
    t.mock.timers.tick(1_000);
  }
  assert.deepEqual(openOf({ silent, served }), ['served']);
  assert.deepEqual(reasons, [over === 'TLS' ? 'handshakeTooSlow' : 'proxyHeaderTooSlow']);
});

test('what is mostly records of a byte is closed', async (t) => {
  holdTimers(t, 'setInterval');
  const { open, reasons } = await start(t, hello, 'TLS', { sweepMs: 1_000 });
  const { client, accepted, raw } = await open();
  for (const byte of `GET /${'x'.repeat(4_000)}`) await new Promise((resolve) => client.write(byte, resolve));
  await until(() => accepted.bytesRead > 4_000);
  t.mock.timers.tick(1_000);
  assert.deepEqual([raw.destroyed, reasons], [true, ['tlsOverhead']]);
});

test('17 key updates close a connection, each 1,000 in a second all of that client, unread', async (t) => {
  holdTimers(t, 'setInterval');
  const { dial, open, reasons, server } = await start(t, hello, 'TLS', { sweepMs: 1_000 });
  const [few, some, other] = [await open(), await open(), await open('127.0.0.2')];
  const update = ({ accepted }: Opened, count: number) => {
    for (let i = 0; i < count; i += 1) accepted.emit('keylog', Buffer.of());
  };
  update(few, 16);
  update(some, 983);
  t.mock.timers.tick(1_000); // so those of the second before count no more
  update(some, 999);
  assert.deepEqual(openOf({ few, some }), ['few']);
  const [silent, updating] = [await dial(), await dial()];
  updating.below.write(await keyUpdates(beginTls(updating.below), 2_000));
  await Promise.all([few, silent, updating].map(({ raw }) => closed(raw)));
  update(other, 1);
  assert.deepEqual([other.raw.destroyed, reasons], [false, Array(4).fill('tlsOverhead')]);
  const [next, prepared] = [await open(), await open()]; // in the same second
  update(next, 1_000);
  assert.deepEqual(openOf({ prepared, other }), ['other']);
  await Promise.all([next, prepared].map(({ raw }) => closed(raw)));
  update(other, 17);
  server.closeAllConnections(); // before it has been closed: Node could crash
  await closed(other.raw);
});

test('of each second, 1,000 bytes may be overhead, and 64 KiB more, but no credit is saved', () => {
  const connection = createRoom(1).add(new Socket(), () => {});
  for (const [bytes, content, isWasteful] of [
    [70_536, 1_000, false], [71_537, 1_000, true],
    [140_000, 140_000, false], [206_536, 140_000, false], [207_537, 140_000, true],
  ] as const) {
    Object.defineProperty(connection.socket, 'bytesRead', { value: bytes, configurable: true });
    connection.valve = Object.assign(new Duplex(), { loss: 0, bytesRead: content, sweep() {} });
    assert.equal(connection.isWasteful(1_000), isWasteful);
  }
});

test('a handshake starts in a turn, the last of its iteration', async (t) => {
  const { turns, hold, turn } = startTurns();
  hold();
  const endAfterOne = t.mock.fn(turns.endAfterOne);
  const { dial, reasons } = await start(t, hello, 'TLS', { turns: { ...turns, endAfterOne } });
  (await dial()).below.write('\x16'); // begins a ClientHello
  const [leaving, staying] = [await dial('127.0.0.2'), await dial()];
  for (const { below, raw } of [leaving, staying]) {
    beginTls(below);
    await until(() => raw.bytesRead > 0);
  }
  turn(); // the end of the iteration that has accepted them
  leaving.raw.destroy();
  turn();
  await calm(t, () => staying.raw.bytesWritten);
  assert.equal(staying.raw.bytesWritten, 0);
  await until(() => {
    turn();
    return staying.raw.bytesWritten > 0;
  });
  assert.deepEqual([endAfterOne.mock.callCount(), reasons], [1, ['tlsFailed']]);
});

testOver('what is emitted as a connection is served, whether or not it is a socket', async (over, t) => {
  const { server } = await start(t, hello, over);
  const { client: below, accepted } = await startPair(t);
  const [carrier, other] = duplexPair();
  for (const [emitted, socket] of [[accepted, below], [carrier, other]] as const) {
    server.emit('connection', Object.assign(emitted, { setTimeout: () => emitted }));
    const client = over === 'TLS' ? beginTls(socket) : socket;
    client.write(GET);
    assert.match(String(await once(client, 'data')), /hello$/);
    server.leaveBehind(emitted)(); // which changes nothing
  }
});

test('an illegal record closes the connection, and reaches `clientError`, as without turns', async (t) => {
  const { server, open } = await start(t, hello, 'TLS');
  const { below, raw } = await open();
  const failing = once(server, 'clientError');
  below.write(FORGED);
  const [[{ code }]] = await Promise.all([failing, closed(raw)]);
  assert.match(code, /^ERR_SSL_/);
});

test('what Node tells of a connection is told in no context of a request, as without turns', async (t) => {
  const storage = new AsyncLocalStorage<string>();
  const { server, open } = await start(t, (_, response) => {
    storage.run('of a request', () => setImmediate(() => response.end('hello')));
  }, 'TCP');
  const told = new Promise((resolve) => server.on('clientError', (_, socket) => {
    resolve(storage.getStore());
    socket.destroy();
  }));
  (await open()).client.write(`${GET}${GET}BAD\r\n\r\n`);
  assert.equal(await told, undefined);
});
