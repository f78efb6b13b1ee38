// Who makes room when there is one connection too many: over sockets, from several addresses.
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { Room } from '../../src/turns/room.ts';
import { closed, iterations, startPair, until } from '../support/sockets.ts';
import { start, type Opened } from './start.ts';

const limit = { timeout: 60_000 };
const HALF = 'GET / HTTP/1.1\r\n';
const WHOLE = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const SLOW = 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n';
const LAST = 'GET / HTTP/1.0\r\n\r\n';
const [A, B, C] = ['127.0.0.2', '127.0.0.3', '127.0.0.4'] as const;

/** In order: a client connects and sends something, or (a number) an earlier connection sends more. */
type Steps = readonly (readonly [who: string | number, bytes?: string])[];
const cases: readonly (readonly [says: string, max: number, steps: Steps, closed: number, reason: string])[] = [
  ['of those of one client, the one that is idle longest is closed', 3,
    [[A], [A], [A, HALF], [0, WHOLE], [A]], 1, 'idleClosed'],
  ['of those that have sent nothing, the one that connected first', 2, [[A], [A], [A]], 0, 'idleClosed'],
  ['one whose last reply has been taken counts as idle', 2, [[A, HALF], [A, LAST], [A]], 1, 'idleClosed'],
  ['one that works for its handler is not idle', 2, [[A, SLOW], [A], [A]], 1, 'idleClosed'],
  ['one of a client with fewer is left alone, however long it is idle', 3, [[B], [A, HALF], [A], [C]], 2, 'idleClosed'],
  ['if none is idle, the client with the most gives up the one that is busy for longest', 3,
    [[A], [A, SLOW], [B, HALF], [0, SLOW], [C]], 1, 'busyClosed'],
  ['the new one counts for its own client, and is closed when that has the most, all busy', 3,
    [[A, HALF], [B, HALF], [B, HALF], [B]], 3, 'newRefused'],
  ['two with as many: the new one gives way', 3, [[B, HALF], [A, HALF], [A, HALF], [B]], 3, 'newRefused'],
];
for (const [says, maxConnections, steps, place, reason] of cases) {
  test(says, limit, async (t) => {
    const dropped: string[] = [];
    const handler = ({ url }: IncomingMessage, response: ServerResponse) => url === '/slow' || response.end();
    const { open, dial } = await start(t, handler, 'TCP', { maxConnections, dropped: (why) => dropped.push(why) });
    const opened: Pick<Opened, 'below' | 'raw'>[] = [];
    for (const [who, bytes = ''] of steps) {
      const isNewest = typeof who === 'string' && opened.length === maxConnections;
      if (typeof who === 'string') opened.push(isNewest ? await dial(who) : await open(who));
      const { below, raw } = opened[typeof who === 'string' ? opened.length - 1 : who] ?? {};
      const before = raw?.bytesRead ?? 0;
      below?.resume().write(bytes);
      await until(() => isNewest || (raw?.bytesRead ?? 0) === before + bytes.length);
      await iterations();
    }
    assert.deepEqual([opened.flatMap(({ raw }, i) => (raw.destroyed ? [i] : [])), dropped], [[place], [reason]]);
  });
}

test('one in its handshake is idle since it was accepted', limit, async (t) => {
  const { open, dial } = await start(t, () => {}, 'TLS', { maxConnections: 3 });
  const all: Pick<Opened, 'raw'>[] = [await open(), await dial(), await dial()];
  for (const expected of [[true, false, false, false], [true, true, false, false, false]]) {
    all.push(await dial());
    await iterations();
    assert.deepEqual(all.map(({ raw }) => raw.destroyed), expected);
  }
});

test('connections of one client share its queues, until the last of them has closed', limit, async (t) => {
  const room = new Room();
  const [first, second] = [await startPair(t), await startPair(t)];
  const one = room.add(first.accepted);
  const other = room.add(second.accepted);
  assert.equal(one.client, other.client);
  assert.notEqual(one.client.short, one.client.long);
  await closed(first.accepted.destroy());
  assert.deepEqual(Array.from(room.connections), [other]);
  const third = await startPair(t);
  assert.equal(room.add(third.accepted).client, other.client);
  for (const { accepted } of [second, third]) await closed(accepted.destroy());
  assert.equal(room.connections.size, 0);
  assert.notEqual(room.add((await startPair(t)).accepted).client, other.client);
});
