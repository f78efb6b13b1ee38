// Who makes room when there is one connection too many: over sockets, from several addresses.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { Room } from '../../src/turns/room.ts';
import { closed, iterations, until } from '../support/sockets.ts';
import { get, start, type Opened } from './start.ts';

const HALF = 'GET / HTTP/1.1\r\n';
const [WHOLE, SLOW, LAST] = [get('/'), get('/slow'), get('/', 'Connection: close')] as const;
const [A, B, C] = ['127.0.0.2', '127.0.0.3', '127.0.0.4'] as const;

/** In order: a client connects and sends something, or (a number) an earlier connection sends more. */
type Steps = readonly (readonly [who: string | number, bytes?: string])[];
const cases: readonly (readonly [says: string, max: number, steps: Steps, closed: number, reason: string])[] = [
  ['of those of one client, the one that is idle longest is closed', 3,
    [[A], [A], [A, HALF], [0, WHOLE], [A]], 1, `idleClosed, ${A} had 4`],
  ['one whose last reply has been taken counts as idle', 2, [[A, HALF], [A, LAST], [A]], 1,
    `idleClosed, ${A} had 3`],
  ['one of a client with fewer is left alone, however long it is idle', 3, [[B], [A, HALF], [A], [C]], 2,
    `idleClosed, ${A} had 2`],
  ['if none is idle, the client with the most gives up the one that is busy for longest', 3,
    [[A], [A, SLOW], [B, HALF], [0, SLOW], [C]], 1, `busyClosed, ${A} had 2`],
  ['two with as many, all busy: the new one gives way', 3, [[B, HALF], [A, HALF], [A, HALF], [B]], 3,
    `newRefused, ${B} had 2`],
];
for (const [says, maxConnections, steps, place, reason] of cases) {
  test(says, async (t) => {
    const dropped: string[] = [];
    const handler = ({ url }: IncomingMessage, response: ServerResponse) => url === '/slow' || response.end();
    const { open, dial } = await start(t, handler, 'TCP', {
      maxConnections,
      dropped: (why, client, connections) => dropped.push(`${why}, ${client} had ${connections}`),
    });
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
  });
}

test('one in its handshake is idle since it was accepted', async (t) => {
  const { server, dial } = await start(t, () => {}, 'TLS', { maxConnections: 2 });
  const [first, second] = [await dial(), await dial()]; // the handshake of the second one goes on
  connect({ socket: first.below, rejectUnauthorized: false }).on('error', () => {});
  await once(server, 'connection');
  const all = [first, second, await dial(), await dial()];
  await iterations();
  assert.deepEqual(all.map(({ raw }) => raw.destroyed), [true, true, false, false]);
});

test('one that has sent what waits for a turn is not idle, is looked at only once, and counts as no request', () => {
  const room = new Room(2);
  const [first, second, third] = [room.add(new Socket()), room.add(new Socket()), room.add(new Socket())];
  first.valve = Object.assign(new Duplex(), { isIdle: false, bytesRead: 0, sweep() {} });
  assert.equal(room.chooseVictim(third)?.connection, second);
  const { client } = first;
  client.leaveBehind();
  assert.deepEqual([client.waiting.first === first, client.isFull], [true, false]);
  client.setBusy(first);
  assert.equal(client.isFull, true);
});

test('connections of one client share its queues, until the last of them has closed', async () => {
  const room = new Room(10);
  const add = () => room.add(new Socket()); // without an address, all are one client's
  const [first, second] = [add(), add()];
  assert.equal(first.client, second.client);
  await closed(first.socket.destroy());
  assert.deepEqual(Array.from(room.connections), [second]);
  const third = add();
  assert.equal(third.client, second.client);
  const { client } = second;
  client.setBusy(second);
  room.remove(second);
  client.setIdle(second);
  client.setBusy(second);
  assert.ok(client.idle.first === third && client.idle.size === 1 && client.busy.size === 0, 'it does not come back');
  for (const { socket } of [second, third]) await closed(socket.destroy());
  assert.equal(room.connections.size, 0);
  assert.notEqual(add().client, second.client);
});
