// Every last reply arrives, whatever else the client sends or does not read, and no client keeps others waiting. What is answered, in which
// order, is in the simulation.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { emptyReply } from '../../src/http/reply.ts';
import { BUDGET, Turns } from '../../src/transport/turns.ts';
import { parseReplies, requestBytes } from '../support/exchange.ts';
import { liveHeap } from '../support/usage.ts';
import { brief, readToEnd, stall, startServer, statusesIn, TRANSPORTS, type TestServer } from '../support/server.ts';
import { calm, closed, until } from '../support/sockets.ts';
import type { ServiceEnd } from '../tools/simulation/service-end.ts';

const limit = { timeout: 60_000 };
const get = requestBytes('GET', '/', []);
const noHost = 'GET / HTTP/1.1\r\n\r\n';
const more = 'x'.repeat(10_000_000); // more than the kernel keeps

for (const over of TRANSPORTS) {
  describe(`over ${over}`, limit, () => {
    for (const [what, last, status] of [
      ['Connection: close', requestBytes('GET', '/'), 200],
      ['an illegal request', noHost, 400],
      ['100-continue', requestBytes('GET', '/', ['Expect: 100-continue', 'Content-Length: 5']), 200],
      ['too much content', requestBytes('POST', '/', ['Content-Length: 10000000']), 413],
    ] as const) {
      test(`the last reply arrives though the client does not read, and what follows is not answered or recorded: ${what}`, async (t) => {
        const { open, pass, asked, records, failures } = await startServer(t, { over, limits: { lingerMs: 60_000 } });
        const { client } = await open();
        inEachIteration(t, () => pass(0.001)); // what follows is discarded
        await new Promise((resolve) => client.pause().write(get + last + get + more, 'latin1', resolve));
        const replies = parseReplies(await readToEnd(client));
        const ends = replies.map((reply) => [reply.status, reply.headers.at(-1)]);
        assert.deepEqual(ends, [[200, 'Connection: keep-alive'], [status, 'Connection: close']]);
        assert.deepEqual([asked.length, records.map(brief)], [status === 200 ? 2 : 1, [['/', 200, undefined], ['/', status, undefined]]]);
        assert.deepEqual(failures, []);
      });
    }

    test('while a reply is unread, no other request is answered, and little more is read; then all are answered', async (t) => {
      const { open, asked } = await startServer(t, { over });
      const pair = await open();
      await stall(pair);
      const { bytesRead } = pair.accepted;
      pair.client.end(requestBytes('GET', '/', [`X: ${'x'.repeat(1_000)}`]).repeat(300));
      await calm(t, () => pair.accepted.bytesRead);
      assert.deepEqual(asked, ['/long']);
      assert.ok(pair.accepted.bytesRead - bytesRead <= 3 * 64 * 1024, `${pair.accepted.bytesRead - bytesRead} bytes were read`);
      assert.deepEqual(statusesIn(await readToEnd(pair.client)), Array.from({ length: 301 }, () => 200));
      await closed(pair.accepted);
    });
  });
}

/** Calls `call` in each iteration of the event loop, which does not wait meanwhile. */
function inEachIteration(t: TestContext, call: () => void): void {
  const next = () => {
    call();
    counter = setImmediate(next);
  };
  let counter = setImmediate(next);
  t.after(() => clearImmediate(counter));
}

describe('a client does not keep others waiting', limit, () => {
  test('by being refused, or by being cut: each costs as much as 2 KiB', async (t) => {
    const turns = new Turns();
    const { mock } = t.mock.method(turns, 'spend');
    const { openInMemory, closeAll } = await startServer(t, { turns });
    const accepted = openInMemory();
    await iteration();
    accepted.deliver(Buffer.from(noHost));
    closeAll();
    assert.deepEqual(mock.calls.map(({ arguments: [cost] }) => cost), [2_048, 512 + noHost.length, 2_048]);
  });

  test('by what it sends after a refusal: one read of it is discarded in each millisecond, whoever sends it', async (t) => {
    const { open, pass } = await startServer(t);
    const all: Socket[] = [];
    for (let i = 0; i < 3; i += 1) {
      const { client, accepted } = await open();
      client.write(noHost + more);
      await once(accepted, 'finish'); // it is refused
      all.push(accepted);
    }
    const bytesRead = () => all.reduce((sum, accepted) => sum + accepted.bytesRead, 0);
    await calm(t, bytesRead);
    const begun = bytesRead();
    for (let ms = 1; ms <= 20; ms += 1) {
      const before = bytesRead();
      pass(0.001);
      await until(() => bytesRead() > before);
    }
    await calm(t, bytesRead);
    assert.ok(bytesRead() - begun <= 20 * 65_536, `${bytesRead() - begun} bytes`);
  });

  test('of its own: a handshake waits as such; a short request after it waits once, to be decrypted', async (t) => {
    const turns = new Turns();
    const { mock } = t.mock.method(turns, 'enqueue');
    const kinds = () => mock.calls.map(({ arguments: [, kind] }) => kind);
    inEachIteration(t, () => turns.spend(BUDGET)); // nothing may go ahead as it arrives
    const { open, asked } = await startServer(t, { turns, over: 'TLS' });
    const { client } = await open();
    assert.deepEqual(new Set(kinds()), new Set(['handshake']));
    mock.resetCalls();
    client.write(get);
    await until(() => asked.length === 1);
    assert.deepEqual(kinds(), ['short']);
  });
});

for (const [what, wait] of [
  ['the end of a request that takes too long', ({ accepted, pass }) => { accepted.deliver(Buffer.from('G')); pass(20); }],
  ['its end as an idle connection', ({ accepted, close }) => { accepted.deliver(Buffer.from(get)); void close(); }],
] satisfies [string, (server: TestServer & { accepted: ServiceEnd }) => void][]) {
  test(`what waits for a turn is neither done nor kept when its connection closes: ${what}`, limit, async (t) => {
    let run = () => {};
    const turns = new Turns(BUDGET, (next) => { run = next; return {}; });
    const server = await startServer(t, { turns });
    for (const isDue of [false, true]) {
      const accepted = server.openInMemory();
      await iteration();
      wait({ ...server, accepted });
      assert.equal(turns.isFree, false);
      accepted.destroy();
      if (isDue) run();
      await closed(accepted);
      assert.equal(turns.isFree, true);
    }
  });
}

test('a connection that is idle keeps nothing of the request before', limit, async (t) => {
  const { openInMemory } = await startServer(t, { handler: () => emptyReply(200), reports: { finished: undefined } });
  const { poolSize } = Buffer;
  Buffer.poolSize = 0; // or a reply that is not read would keep all that shares a pool with it
  t.after(() => { Buffer.poolSize = poolSize; });

  /** Opens 300 connections with a request each, whose query has this length. Returns how many bytes are in use then. */
  async function openAndAsk(length: number): Promise<number> {
    for (let i = 0; i < 300; i += 1) {
      openInMemory().deliver(Buffer.from(requestBytes('GET', `/a/path/that/is/long?${'x'.repeat(length)}`, [])));
      for (let n = 0; n < 4; n += 1) await iteration();
    }
    return liveHeap();
  }

  const none = liveHeap();
  const short = await openAndAsk(0) - none;
  const long = await openAndAsk(15_000) - none - short;
  // The heads have 4.5 MB, and so have their buffers. What else is kept between two measurements is less than a tenth of that.
  assert.ok(long < short + 2_250_000, `${long} bytes instead of ${short}`);
});
