// Who makes room when all places are taken: which one, and what is said of it. The simulation holds the rest. The connections are in memory,
// so that their clients can have any address.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { brief, startServer } from '../support/server.ts';
import { closed } from '../support/sockets.ts';
import { liveHeap } from '../support/usage.ts';
import type { ServiceEnd } from '../tools/simulation/service-end.ts';

const limit = { timeout: 60_000 };
const HALF = 'GET / HTTP/1.1\r\nX';
const CONTENT = 'POST /content HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na';
const LONG = 'GET /long HTTP/1.1\r\nHost: a\r\n\r\n'; // its reply is not read
const WHOLE = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const LAST = 'GET / HTTP/1.0\r\n\r\n';

const [A, B, C] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'] as const;

type Opened = readonly (readonly [address: string | number, bytes?: string])[]; // in order. A number: an earlier one sends more.
/** `closed`: the places in `connections` of those that are closed then, and `dropped` why. */
type Case = readonly [says: string, max: number, connections: Opened, closed: readonly number[], dropped: readonly string[]];
const cases: readonly Case[] = [
  ['while there is a place, none is closed', 3, [[A, HALF], [A, HALF], [A, HALF]], [], []],
  ['of one address, the one that is idle longest is closed', 3, [[A, HALF], [A], [A], [A]], [1], ['idleClosed']],
  ['one that has been used since is not the one that is idle longest', 3, [[A], [A], [A], [0, WHOLE], [A]], [1], ['idleClosed']],
  ['one whose last reply has been flushed counts as idle', 2, [[A, HALF], [A, LAST], [A]], [1], ['idleClosed']],
  ['one that has sent empty lines only is idle', 2, [[A, HALF], [A, '\r\n\r\n'], [A]], [1], ['idleClosed']],
  ['one of an address that has fewer is left alone, however long it is idle', 3, [[B], [A, HALF], [A], [C]], [2], ['idleClosed']],
  ['the address that has the most gives one up, also when none is idle: the one that is in its state for longest', 3,
    [[A, CONTENT], [A, LONG], [B, HALF], [C]], [0], ['busyClosed']],
  ['the new one counts for its own address, and is closed when that has the most', 3,
    [[A, HALF], [B, HALF], [B, HALF], [B]], [3], ['newRefused']],
  ['when no address has more than its own, of which none is idle, the new one is closed', 2,
    [[A, HALF], [B, HALF], [C]], [2], ['newRefused']],
  ['a whole network of IPv6 is one client', 3,
    [['2001:db8:0:1::1', HALF], ['2001:db8:0:1::2', HALF], ['2001:db8:0:2::1', HALF], ['2001:db8:0:3::1']], [0], ['busyClosed']],
];
for (const [says, maxConnections, connections, ...expected] of cases) {
  test(says, limit, async (t) => {
    const { openInMemory, dropped, records } = await startServer(t, { maxConnections });
    const ends: ServiceEnd[] = [];
    for (const [address, bytes = ''] of connections) {
      const end = typeof address === 'number' ? ends[address] : openInMemory(address);
      if (end !== undefined && typeof address === 'string') ends.push(end);
      if (bytes !== '') end?.deliver(Buffer.from(bytes));
      for (let turns = 0; turns < 4; turns += 1) await iteration();
    }
    assert.deepEqual([ends.flatMap((end, i) => (end.destroyed ? [i] : [])), dropped], expected);
    const isCut = connections[0]?.[1] === CONTENT;
    const cut = records.map(brief).filter(([path]) => path === '/content');
    assert.deepEqual(cut, isCut ? [['/content', undefined, true]] : [], 'what is cut has its record');
  });
}

for (const over of ['TCP', 'TLS'] as const) {
  test(`a connection that has closed takes no memory, over ${over}`, limit, async (t) => {
    const { openInMemory } = await startServer(t, { over, reports: { finished: undefined } });
    let first = 0;
    for (let i = 1; i <= 200; i += 1) { // the addresses of 100 have 10 MB
      const end = openInMemory(`${i}${'x'.repeat(100_000)}`);
      const isClosed = closed(end);
      end.deliverReset();
      await isClosed;
      for (let turns = 0; turns < 4; turns += 1) await iteration();
      if (i === 100) first = liveHeap();
    }
    const bytes = liveHeap() - first;
    assert.ok(bytes < 5_000_000, `${bytes} bytes`);
  });
}
