// Who makes room when all places are taken. The connections are in memory, so that their clients can have any address.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { readConfiguration } from '../../src/host/configuration.ts';
import { createServer } from '../../src/server/server.ts';
import { emptyReply } from '../../src/http/reply.ts';
import { secure } from '../../src/server/tls.ts';
import { Turns } from '../../src/server/turns.ts';
import { liveHeap } from '../support/live-heap.ts';
import { NO_REPORTS } from '../support/reports.ts';
import { ServiceEnd } from '../tools/simulation/service-end.ts';

const HALF = 'GET / HTTP/1.1\r\nX';
const WHOLE = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const LAST = 'GET / HTTP/1.0\r\n\r\n';
const quiet = { written: () => {}, taken: () => {}, ended: () => {}, closed: () => {} };

/** Opens connections one after the other: each from an address, with what it sends. Returns the places in this list of those that are closed, and why. */
async function open(maxConnections: number, ...connections: readonly (readonly [address: string, bytes?: string])[]) {
  const dropped: string[] = [];
  const server = createServer({
    ...readConfiguration({}), handler: () => emptyReply(200), isAllowed: () => true, isDraining: () => false, maxConnections, keepAliveTimeoutMs: 1_000_000,
    turns: new Turns(), reports: { ...NO_REPORTS, dropped: (reason) => dropped.push(reason) },
  });
  const ends: ServiceEnd[] = [];
  for (const [address, bytes = ''] of connections) {
    const end = new ServiceEnd(address, 1_000, quiet);
    ends.push(end);
    server.listener.emit('connection', end);
    if (bytes !== '') end.deliver(Buffer.from(bytes));
    for (let turns = 0; turns < 4; turns += 1) await turn();
  }
  const closed = ends.flatMap((end, i) => (end.destroyed ? [i] : []));
  server.closeAll();
  await server.close();
  return { closed, dropped };
}

const [A, B, C] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'] as const;

const cases: readonly (readonly [says: string, max: number, connections: readonly (readonly [string, string?])[], closed: readonly number[], dropped: readonly string[]])[] = [
  ['while there is a place, none is closed', 3, [[A, HALF], [A, HALF], [A, HALF]], [], []],
  ['of one address, the one that is idle longest is closed', 3, [[A, HALF], [A], [A], [A]], [1], ['idleClosed']],
  ['one that has been used since is not the one that is idle longest', 3, [[A], [A, WHOLE], [A], [A]], [0], ['idleClosed']],
  ['one whose last reply has left counts as idle', 2, [[A, HALF], [A, LAST], [A]], [1], ['idleClosed']],
  ['of one address, the new one is closed when none is idle', 2, [[A, HALF], [A, HALF], [A]], [2], ['newRefused']],
  ['the address that has the most gives one up, which is idle', 3, [[A, HALF], [A], [B], [C]], [1], ['idleClosed']],
  ['another that is idle for longer is left alone', 3, [[B], [A, HALF], [A], [C]], [2], ['idleClosed']],
  ['the address that has the most gives one up, also when none is idle: the one that is in its state for longest', 3, [[A, HALF], [A, HALF], [B, HALF], [C]], [0], ['busyClosed']],
  ['the new one counts for its own address, which is closed when that has the most', 3, [[A, HALF], [B, HALF], [B, HALF], [B]], [3], ['newRefused']],
  ['when no address has more than its own, an idle one of its own is closed', 2, [[A, HALF], [B], [C]], [1], ['idleClosed']],
  ['when no address has more than its own, of which none is idle, the new one is closed', 2, [[A, HALF], [B, HALF], [C]], [2], ['newRefused']],
  ['an address with fewer connections keeps its own, idle or not', 4, [[B], [A, HALF], [A, HALF], [A, HALF], [A], [A], [A]], [4, 5, 6], ['newRefused', 'newRefused', 'newRefused']],
  ['a whole network of IPv6 is one client', 3, [['2001:db8:0:1::1', HALF], ['2001:db8:0:1::2', HALF], ['2001:db8:0:2::1', HALF], ['2001:db8:0:3::1']], [0], ['busyClosed']],
  ['a connection that is closed counts no more', 2, [[A], [A], [A], [A], [A, HALF], [A, HALF], [B]], [0, 1, 2, 3, 4], ['idleClosed', 'idleClosed', 'idleClosed', 'idleClosed', 'busyClosed']],
];
for (const [says, max, connections, closed, dropped] of cases) {
  test(says, { timeout: 20_000 }, async () => {
    assert.deepEqual(await open(max, ...connections), { closed, dropped });
  });
}

test('a request that is cut to make room has a record that says so', { timeout: 20_000 }, async () => {
  const records: unknown[] = [];
  const { listener, close, closeAll } = createServer({
    ...readConfiguration({}), handler: () => emptyReply(200), isAllowed: () => true, isDraining: () => false, maxConnections: 2, keepAliveTimeoutMs: 1_000_000,
    turns: new Turns(), reports: { ...NO_REPORTS, finished: ({ path, status, aborted }) => records.push([path, status, aborted]) },
  });
  for (const [address, bytes] of [[A, 'POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na'], [A, HALF], [B, '\r\n']] as const) {
    const end = new ServiceEnd(address, 1_000, quiet);
    listener.emit('connection', end);
    end.deliver(Buffer.from(bytes));
    for (let turns = 0; turns < 4; turns += 1) await turn();
  }
  assert.deepEqual(records, [['/a', undefined, true]]);
  closeAll();
  await close();
});

for (const isSecure of [false, true]) {
  test(`a connection that has closed takes no memory${isSecure ? ', also without a TLS handshake' : ''}`, { timeout: 20_000 }, async () => {
    const secureContext = createSecureContext();
    const { listener, close } = createServer({
      ...readConfiguration({}), handler: () => emptyReply(200), isAllowed: () => true, isDraining: () => false, maxConnections: 10, keepAliveTimeoutMs: 1_000_000,
      turns: new Turns(), reports: NO_REPORTS,
    }, isSecure ? (...carrier) => secure(secureContext, ...carrier) : undefined);

    /** Opens and closes 100 connections. Each has an address of its own, so long that 100 are 10 MB. Returns how many bytes are in use then. */
    async function openAndClose(first: number): Promise<number> {
      for (let i = first; i < first + 100; i += 1) {
        const end = new ServiceEnd(`${i}${'x'.repeat(100_000)}`, 1_000, quiet);
        const closed = new Promise((resolve) => end.once('close', resolve));
        listener.emit('connection', end);
        end.deliverReset();
        await closed;
      }
      for (let turns = 0; turns < 4; turns += 1) await turn();
      return liveHeap();
    }

    const before = await openAndClose(0);
    const bytes = await openAndClose(100) - before;
    assert.ok(bytes < 5_000_000, `${bytes} bytes`);
    await close();
  });
}
