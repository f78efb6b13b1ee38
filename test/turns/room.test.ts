// Who is one client, and who makes room when there is one connection too many.
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { clientOf } from '../../src/turns/client.ts';
import type { Connection } from '../../src/turns/connection.ts';
import { createRoom } from '../../src/turns/room.ts';
import { LAST } from '../support/exchange.ts';
import { until } from '../support/sockets.ts';
import { hello, openOf, start, type Opened } from './start.ts';

const HALF = 'GET / HTTP/1.1\r\n';
const [A, B, C] = ['127.0.0.2', '127.0.0.3', '127.0.0.4'] as const;

test('a client has an address of IPv4, or the first 48 bits of IPv6', () => {
  for (const [address, client] of [
    ['192.0.2.1', '192.0.2.1'], [undefined, ''],
    ['::ffff:192.0.2.1', '192.0.2.1'], ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:1:2', '0:0:0::/48'], // no address of IPv4
    ['2001:db8::ffff:192.0.2.1', '2001:db8:0::/48'], ['::1', '0:0:0::/48'], ['::', '0:0:0::/48'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'], ['2001:db8:1:2::', '2001:db8:1::/48'],
    ['2001::2:3:4:5:6:7', '2001:0:2::/48'], ['::2:3:4:5:6:7:8', '0:2:3::/48'], ['2001::', '2001:0:0::/48'],
  ] as const) assert.equal(clientOf(address), client);
});

/** A room, and how a connection is added to it. Without an address, all are one client's. */
function startRoom(maxConnections?: number) {
  const room = createRoom(maxConnections);
  const add = (address = '') => {
    const connection = room.add(new Socket(), () => {});
    room.move(connection, address);
    return connection;
  };
  return { room, add };
}

// In the steps, a client has a new connection, or what an earlier one (its number) does changes.
for (const { says, steps, victim, reason } of [
  { says: 'of those of one client, the one that is idle longest',
    steps: 'A, A, A, 2 busy, 0 busy, 0 idle, A', victim: 1, reason: 'idleClosed' },
  { says: 'of those of several clients with as many, too',
    steps: 'A, B, C, 0 busy, 0 idle, D', victim: 1, reason: 'idleClosed' },
  { says: 'if none is idle, one that waits for a turn',
    steps: 'A, A, A, 0 busy, 1 busy, 2 waiting, A, 3 busy', victim: 2, reason: 'busyClosed' },
  { says: 'if all are busy, of the client with the most the one that is so for longest',
    steps: 'A, A, 1 busy, B, 2 busy, 0 busy, C', victim: 1, reason: 'busyClosed' },
  { says: 'if two have as many and all are busy, the new one',
    steps: 'B, A, A, 0 busy, 1 busy, 2 busy, B', victim: 3, reason: 'newRefused' },
]) {
  test(`to make room, it closes ${says}`, () => {
    const { room, add } = startRoom(3);
    const connections: Connection[] = [];
    for (const [i, [who = '', state]] of steps.split(', ').map((step) => step.split(' ')).entries()) {
      const connection = connections[Number(who)] ?? add(who);
      if (!connections.includes(connection)) connections.push(connection);
      const loss = ['idle', 'waiting', 'busy'].indexOf(state ?? 'idle');
      connection.changedAt = i;
      connection.valve = Object.assign(new Duplex(), { loss, bytesRead: 0, sweep() {} });
    }
    const chosen = room.chooseVictim(connections[3] ?? assert.fail());
    assert.deepEqual(chosen, { victim: connections[victim], reason });
  });
}

test('servers share a room: who makes room is closed, and it is told whose connection that was', async (t) => {
  const told: unknown[] = [];
  const dropped = (...[reason, of, connections]: readonly unknown[]) => told.push({ reason, of, connections });
  const options = { room: createRoom(2), dropped };
  const [plain, secure] = [await start(t, hello, 'TCP', options), await start(t, hello, 'TLS', options)];
  const begin = async ({ client, valve }: Opened) => {
    client.write(HALF);
    await until(() => valve.loss === 2);
  };
  const [first, last] = [await plain.open(A), await plain.open(A)];
  await begin(first);
  last.client.resume().write(LAST);
  await until(() => last.valve.writableFinished); // it is idle
  const third = await secure.open(A);
  await begin(third);
  const fourth = await plain.open(B);
  await begin(fourth);
  plain.server.on('connection', () => assert.fail('It is served.'));
  const newest = await plain.dial(C);
  plain.server.listener.emit('connection', new Socket()); // without an address, as on a Unix socket
  assert.deepEqual(openOf({ first, last, third, fourth, newest }), ['third', 'fourth']);
  assert.deepEqual(told, [
    { reason: 'idleClosed', of: A, connections: 3 }, { reason: 'busyClosed', of: A, connections: 2 },
    { reason: 'newRefused', of: C, connections: 1 }, { reason: 'newRefused', of: undefined, connections: 1 },
  ]);
});

test('the more others have left behind, the less a client may have: in all, less than twice the room', () => {
  const { room, add } = startRoom(); // by default, for 1,000 connections
  const most = Array.from({ length: 100 }, (_, i) => `192.0.2.${i}`).map((address) => {
    for (let count = 0; ; count += 1) {
      const connection = add(address);
      const isFull = room.isFull(connection.client);
      if (!isFull) room.leaveBehind(connection.client.name);
      room.remove(connection);
      if (isFull) return count;
    }
  });
  assert.deepEqual(most.slice(0, 5), [1_000, 500, 125, 70, 46]);
  assert.deepEqual([most.indexOf(0), most.reduce((sum, each) => sum + each)], [49, 1_956]);
  for (let i = 0; i < 3_000; i += 1) room.leaveBehind('another'); // as those who are refused can, for a moment
  assert.equal(room.isFull(add('192.0.2.255').client), true);
});

test('a client is remembered until nothing is left of it, also if it comes again, and not longer', () => {
  const { room, add } = startRoom(2);
  const first = add();
  for (let i = 0; i < 2; i += 1) room.remove(first); // the second time changes nothing
  const end = room.leaveBehind(first.client.name); // as a response does that closes with its connection
  const second = add();
  const { client } = second;
  assert.equal(client.size, 2);
  room.remove(second);
  const third = add();
  end();
  const fourth = add();
  assert.deepEqual([fourth.client === client, client.size], [true, 2]);
  for (const one of [third, fourth]) room.remove(one);
  assert.notEqual(add().client, client);
});
