// Who makes room when there is one connection too many: over sockets, from several addresses.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { createRoom } from '../../src/turns/room.ts';
import { get, GET, LAST } from '../support/exchange.ts';
import { iterations, until } from '../support/sockets.ts';
import { beginTls, hello, start, testOver, type Opened } from './start.ts';

const HALF = 'GET / HTTP/1.1\r\n';
const SLOW = get('/slow');
const [A, B, C, D] = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'] as const;

/** In order: a client connects and sends something, or (a number) an earlier connection sends more. */
type Steps = readonly (readonly [who: string | number, bytes?: string])[];
const cases: readonly (readonly [says: string, max: number, steps: Steps, closed: number, reason: string])[] = [
  ['of those of one client, the one that is idle longest is closed', 3,
    [[A], [A], [A, HALF], [0, GET], [A]], 1, `idleClosed, ${A} had 4`],
  ['one whose last reply has been taken counts as idle', 2, [[A, HALF], [A, LAST], [A]], 1,
    `idleClosed, ${A} had 3`],
  ['of those of several clients with as many, too', 3, [[A], [B], [C], [0, GET], [D]], 1, `idleClosed, ${B} had 1`],
  ['if none is idle, the client with the most gives up the one that is busy for longest', 3,
    [[A], [A, HALF], [B, HALF], [0, SLOW], [1, 'X: y\r\n'], [C]], 1, `busyClosed, ${A} had 2`],
  ['two with as many, all busy: the new one gives way', 3, [[B, HALF], [A, HALF], [A, HALF], [B]], 3,
    `newRefused, ${B} had 2`],
];
for (const [says, maxConnections, steps, place, reason] of cases) {
  test(says, async (t) => {
    const handler = ({ url }: IncomingMessage, response: ServerResponse) => url === '/slow' || response.end();
    const dropped: string[] = [];
    const { server, open, dial } = await start(t, handler, 'TCP', {
      maxConnections,
      dropped: (why, client, connections) => dropped.push(`${why}, ${client} had ${connections}`),
    });
    const served = t.mock.fn();
    server.on('connection', served);
    const opened: Pick<Opened, 'below' | 'raw'>[] = [];
    for (const [who, bytes = ''] of steps) {
      const isNewest = typeof who === 'string' && opened.length === maxConnections;
      if (typeof who === 'string') opened.push(await (isNewest ? dial(who) : open(who)));
      const { below, raw } = opened.at(typeof who === 'string' ? -1 : who) ?? assert.fail();
      const { bytesRead } = raw;
      below.resume().write(bytes);
      await until(() => isNewest || raw.bytesRead === bytesRead + bytes.length);
      await iterations();
    }
    assert.deepEqual([opened.flatMap(({ raw }, i) => (raw.destroyed ? [i] : [])), dropped], [[place], [reason]]);
    assert.equal(served.mock.callCount(), opened.length - (place === maxConnections ? 1 : 0)); // the newest is refused
  });
}

testOver('one line with many networks of IPv6, however busy, keeps nobody out', async (over, t) => {
  const { dial, server } = await start(t, hello, over, { maxConnections: 50, isBalancer: () => true });
  const connect = async (address: string, bytes: string) => {
    const { below } = await dial();
    below.write(`PROXY TCP${address.includes(':') ? 6 : 4} ${address} ${address} 1 2\r\n`);
    const client = over === 'TLS' ? beginTls(below) : below;
    const served = once(server, 'connection');
    client.write(bytes);
    await served;
    return client;
  };
  for (let i = 0; i < 60; i += 1) await connect(`2001:db8:1:${i}::1`, HALF);
  for (let i = 0; i < 8; i += 1) assert.match(await text(await connect(`192.0.2.${i}`, LAST)), /^HTTP\/1\.1 200 /);
});

test('servers share a room: of all their connections, one is closed', async (t) => {
  const room = createRoom(2);
  const [plain, secure] = [await start(t, hello, 'TCP', { room }), await start(t, hello, 'TLS', { room })];
  const opened = [await plain.open(), await secure.open(), await secure.open()];
  assert.deepEqual(opened.map(({ raw }) => raw.destroyed), [true, false, false]);
  assert.deepEqual([plain.reasons, secure.reasons], [[], ['idleClosed']]);
});

/** A room, and how a connection is added to it. Without an address, all are one client's. */
function startRoom(maxConnections: number) {
  const room = createRoom(maxConnections);
  const add = (address = '') => {
    const connection = room.add(new Socket(), () => {});
    room.move(connection, address);
    return connection;
  };
  return { room, add };
}

test('what waits for a turn makes room after those that are idle, and before those that are busy', () => {
  const { room, add } = startRoom(3);
  const [busy, waiting, idle, newest] = [add(), add(), add(), add()];
  waiting.valve = Object.assign(new Duplex(), { isIdle: false, bytesRead: 0, sweep() {} });
  for (const one of [busy, newest]) one.setBusy(true);
  for (const [next, reason] of [[idle, 'idleClosed'], [waiting, 'busyClosed'], [busy, 'busyClosed']] as const) {
    assert.deepEqual(room.chooseVictim(newest), { connection: next, reason });
    room.remove(next);
    add().setBusy(true);
  }
});

test('the more others have left behind, the less a client may have: in all, less than twice the room', () => {
  const { room, add } = startRoom(100);
  const most = Array.from({ length: 1_000 }, (_, i) => `192.0.${i >> 8}.${i & 255}`).map((address) => {
    for (let count = 0; ; count += 1) {
      const connection = add(address);
      const isFull = room.isFull(connection.client);
      if (!isFull) room.leaveBehind(connection.client);
      room.remove(connection);
      if (isFull) return count;
    }
  });
  assert.deepEqual(most.slice(0, 5), [100, 50, 12, 7, 4]);
  assert.deepEqual([most.indexOf(0), most.reduce((sum, each) => sum + each)], [14, 186]);
});

test('a client is remembered until nothing is left of it, also if it comes again meanwhile, and not longer', async () => {
  const { room, add } = startRoom(2);
  const first = add();
  const { client } = first;
  for (let i = 0; i < 2; i += 1) room.remove(first); // the second time changes nothing
  const end = room.leaveBehind(client); // as a response does that closes with its connection
  await iterations();
  const second = add();
  assert.deepEqual([second.client === client, client.size, client.leftBehind], [true, 1, 1]);
  room.remove(second);
  end();
  const third = add();
  await iterations();
  const fourth = add();
  assert.deepEqual([fourth.client === client, client.size, client.leftBehind], [true, 2, 0]);
  for (const one of [third, fourth]) room.remove(one);
  await iterations();
  assert.notEqual(add().client, client);
});
