// Who makes room when all places are taken: which one, and what is said of it. The simulation covers the rest. The connections are in
// memory, so that their clients can have any address.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brief, startServer } from '../support/server.ts';
import { closed, iterations } from '../support/sockets.ts';
import { liveHeap } from '../support/usage.ts';
import type { ServiceEnd } from '../tools/simulation/service-end.ts';

const limit = { timeout: 60_000 };
const HALF = 'GET / HTTP/1.1\r\nX';
const CONTENT = 'POST /content HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na';
const WHOLE = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const LAST = 'GET / HTTP/1.0\r\n\r\n';

const [A, B, C] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'] as const;
const [D, ALSO_D] = ['2001:db8:0:1::1', '2001:db8:0:1::2'] as const; // of one network, so they are one client

type Opened = readonly (readonly [address: string | number, bytes?: string])[]; // in order. A number: an earlier one sends more.
/** `closed`: the place in `connections` of the one that is closed then, and `dropped` why. */
type Case = readonly [says: string, max: number, connections: Opened, closed: number, dropped: string];
const cases: readonly Case[] = [
  ['the one that is idle longest is closed, of those of one client', 3, [[A], [A], [A, HALF], [0, WHOLE], [A]], 1, 'idleClosed'],
  ['of those that have sent nothing, the one that connected first is closed', 2, [[A], [A], [A]], 0, 'idleClosed'],
  ['one whose last reply has been flushed counts as idle', 2, [[A, HALF], [A, LAST], [A]], 1, 'idleClosed'],
  ['one of a client that has fewer is left alone, however long it is idle', 3, [[B], [A, HALF], [A], [C]], 2, 'idleClosed'],
  ['the client that has the most gives one up, also when none is idle: the one that is in its state for longest', 3,
    [[D, CONTENT], [ALSO_D, HALF], [B, HALF], [C]], 0, 'busyClosed'],
  ['the new one counts for its own client, and is closed when that has the most', 3,
    [[A, HALF], [B, HALF], [B, HALF], [B]], 3, 'newRefused'],
];
for (const [says, maxConnections, connections, place, reason] of cases) {
  test(says, limit, async (t) => {
    const { openInMemory, dropped, records } = await startServer(t, { maxConnections });
    const ends: ServiceEnd[] = [];
    for (const [address, bytes = ''] of connections) {
      const end = typeof address === 'number' ? ends[address] : openInMemory(address);
      if (end !== undefined && typeof address === 'string') ends.push(end);
      if (bytes !== '') end?.deliver(Buffer.from(bytes));
      await iterations();
    }
    assert.deepEqual([ends.flatMap((end, i) => (end.destroyed ? [i] : [])), dropped], [[place], [reason]]);
    const cut = records.map(brief).filter(([, , aborted]) => aborted);
    assert.deepEqual(cut, reason === 'busyClosed' ? [['/content', undefined, true]] : []);
  });
}

test('a connection that has closed takes no memory', limit, async (t) => {
  const { openInMemory } = await startServer(t, { reports: { finished: undefined } });
  let first = 0;
  for (let i = 1; i <= 100; i += 1) { // the addresses of 50 have 5 MB
    const end = openInMemory(`${i}${'x'.repeat(100_000)}`);
    const isClosed = closed(end);
    end.deliverReset();
    await isClosed;
    await iterations();
    if (i === 50) first = liveHeap();
  }
  const bytes = liveHeap() - first;
  assert.ok(bytes < 2_500_000, `${bytes} bytes`);
});
