// Every last reply arrives, whatever else the client sends or does not read, and no client keeps others waiting. What is answered, in which
// order, is in the simulation.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { emptyReply } from '../../src/http/messages.ts';
import { BUDGET, createTurns } from '../../src/transport/turns.ts';
import { parseReplies, requestBytes } from '../support/exchange.ts';
import { liveHeap } from '../support/usage.ts';
import { brief, readToEnd, startServer } from '../support/server.ts';
import { closed, iterations, until } from '../support/sockets.ts';

const limit = { timeout: 60_000 };
const get = requestBytes('GET', '/', []);
const noHost = 'GET / HTTP/1.1\r\n\r\n';
const more = 'x'.repeat(10_000_000); // more than the kernel keeps

for (const over of ['TCP', 'TLS'] as const) {
  for (const [what, last, status] of [['close', requestBytes('GET', '/'), 200], ['400', noHost, 400]] as const) {
    test(`over ${over}, the last reply arrives though the client does not read, and nothing follows it: ${what}`, limit, async (t) => {
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
}

test('a change of state that is not in the table is reported, and ends the connection alone', limit, async (t) => {
  const { openInMemory, failures } = await startServer(t);
  const accepted = openInMemory();
  await iteration();
  accepted.emit('finish'); // as if our side had ended
  await closed(accepted);
  assert.deepEqual(failures, [new Error('A connection cannot go from idle to lingering.')]);
});

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
    const turns = createTurns();
    const { mock } = t.mock.method(turns, 'spend');
    const { openInMemory, closeAll } = await startServer(t, { turns });
    const accepted = openInMemory();
    await iteration();
    accepted.deliver(Buffer.from(noHost));
    closeAll();
    assert.deepEqual(mock.calls.map(({ arguments: [cost] }) => cost), [2_048, 512 + noHost.length, 2_048]);
  });

  test('by what it sends after a refusal: one read of it is discarded in each millisecond, whoever sends it', async (t) => {
    const { openInMemory, pass } = await startServer(t);
    const all = [1, 2, 3].map(() => openInMemory());
    for (const accepted of all) accepted.deliver(Buffer.from(noHost + 'x'.repeat(1_000_000)));
    await iterations();
    const reads = () => all.reduce((sum, { bytesRead }) => sum + Math.ceil(bytesRead / 65_536), 0);
    for (let ms = 1; ms <= 20; ms += 1) {
      const before = reads();
      pass(0.001);
      await iterations();
      assert.equal(reads() - before, 1);
    }
  });

  test('of its own: a handshake waits as such; a short request after it waits once, to be decrypted', async (t) => {
    const turns = createTurns();
    const { mock } = t.mock.method(turns, 'enqueue');
    const queues = () => mock.calls.map(({ arguments: [queue] }) => queue);
    inEachIteration(t, () => turns.spend(BUDGET)); // nothing may go ahead as it arrives
    const { open, asked } = await startServer(t, { turns, over: 'TLS' });
    const { client } = await open();
    assert.deepEqual(new Set(queues()), new Set(['127.0.0.1 handshake']));
    mock.resetCalls();
    client.write(get);
    await until(() => asked.length === 1);
    assert.deepEqual(queues(), ['127.0.0.1 short']);
  });
});

test('the end of a connection, late or idle, that waits for a turn is not kept when the connection closes otherwise', limit, async (t) => {
  const turns = createTurns(BUDGET, () => ({})); // none comes
  const { openInMemory, pass, close } = await startServer(t, { turns });
  for (const [bytes, wait] of [['G', () => pass(20)], [get, () => { void close(); pass(0.25); }]] as const) {
    const accepted = openInMemory();
    await iteration();
    accepted.deliver(Buffer.from(bytes));
    wait();
    assert.equal(turns.isFree(), false);
    accepted.destroy();
    await closed(accepted);
    assert.equal(turns.isFree(), true);
  }
});

test('a connection that is idle keeps nothing of the request before', limit, async (t) => {
  const { openInMemory } = await startServer(t, { handler: () => emptyReply(200), reports: { finished: undefined } });
  const { poolSize } = Buffer;
  Buffer.poolSize = 0; // or a reply that is not read would keep all that shares a pool with it
  t.after(() => { Buffer.poolSize = poolSize; });
  const used = [liveHeap()]; // in bytes
  for (const length of [0, 15_000]) { // of the query
    for (let i = 0; i < 150; i += 1) {
      openInMemory().deliver(Buffer.from(requestBytes('GET', `/a/path/that/is/long?${'x'.repeat(length)}`, [])));
      await iterations();
    }
    used.push(liveHeap());
  }
  const [none = 0, short = 0, long = 0] = used;
  // The long heads have 2.25 MB, and so have their buffers. What else is kept between two measurements is less than a fifth of that.
  assert.ok(long - short < short - none + 1_100_000, used.join());
});
