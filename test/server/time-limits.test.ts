// How time is counted, with a clock that the tests hold: requests that take too long (408), and what waits for its turn, which is not idle:
// it is answered, at the stop, when room is made and at its time limit. The other limits are in ends.test.ts and in the simulation.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { BUDGET, type Kind, type Turns } from '../../src/transport/turns.ts';
import { requestBytes } from '../support/exchange.ts';
import { connectRecords } from '../support/records.ts';
import { readReplies, readToEnd, send, shakeHands, stall, startServer, statusesIn, use } from '../support/server.ts';
import type { Options, Pair, TestServer } from '../support/server.ts';
import { until } from '../support/sockets.ts';

const limit = { timeout: 60_000 };
const get = requestBytes('GET', '/', []);

/** From now on two other clients use up each iteration, until the returned function is called. So others wait, and get a third of it. */
function keepBusy(t: TestContext, turns: Turns): () => void {
  let isBusy = true;
  const ask = (name: string) => turns.enqueue(name, 'long', () => {
    turns.spend(BUDGET);
    if (isBusy) ask(name);
  });
  for (const name of ['a', 'b']) ask(name);
  const stop = () => { isBusy = false; };
  t.after(stop);
  return stop;
}

const events: readonly (readonly [string, (server: TestServer) => unknown])[] = [
  ['the server closes', ({ close }) => void close()],
  ['another connection asks for its place', ({ dial }) => dial()],
  ['a long time passes', ({ pass }) => pass(1_000)],
];

for (const how of ['TCP', 'TLS', 'the handshake'] as const) {
  describe(`over ${how}, a request that waits for its turn is answered`, limit, () => {
    for (const [what, happen] of events) {
      test(`when ${what}`, async (t) => {
        const server = await startServer(t, { over: how === 'TCP' ? 'TCP' : 'TLS', maxConnections: 1 });
        const below = await server.dial();
        const { accepted } = below;
        let stopBusy = () => {};
        if (how === 'the handshake') accepted.once('data', () => { stopBusy = keepBusy(t, server.turns); }); // what comes next ends it
        const pair = how === 'TCP' ? below : await shakeHands(below);
        if (how === 'TLS') await use(pair);
        if (how !== 'the handshake') stopBusy = keepBusy(t, server.turns);
        pair.client.write(get);
        await until(() => accepted.isPaused());
        await happen(server);
        stopBusy();
        server.drain(); // so that the connection ends with the reply
        assert.deepEqual(statusesIn(await readToEnd(pair.client)), [200]);
        assert.ok(server.dropped.every((reason) => reason === 'newRefused'));
      });
    }
  });
}

/** A connection over TLS, and a record with a request, of which `passOn` sends some bytes. Resolves when the server has read them. */
async function openRecord(t: TestContext, options: Options = {}) {
  const server = await startServer(t, { ...options, over: 'TLS' });
  const { below, accepted, socket } = await server.dial();
  const [{ client, recordsOf }] = await Promise.all([connectRecords(below), once(socket, 'secure')]);
  const record = await recordsOf([get]);
  async function passOn(from: number, to?: number): Promise<void> {
    const { bytesRead } = accepted;
    const part = record.subarray(from, to);
    below.write(part);
    await until(() => accepted.bytesRead >= bytesRead + part.length);
    for (let count = 0; count < 3; count += 1) await iteration();
  }
  return { ...server, client, accepted, passOn };
}

for (const [what, happen] of events.slice(0, 2)) {
  test(`a request is answered, of which a part of a TLS record has arrived when ${what}`, limit, async (t) => {
    const server = await openRecord(t, { maxConnections: 1 });
    await server.passOn(0, 9);
    await happen(server);
    server.pass(0.3);
    for (let count = 0; count < 3; count += 1) await iteration();
    server.drain(); // so that the connection ends with the reply
    await server.passOn(9);
    assert.deepEqual(statusesIn(await readToEnd(server.client)), [200]);
    assert.ok(server.dropped.every((reason) => reason === 'newRefused'));
  });
}

test('a TLS record that arrives a byte at a time is late after 10 s, like a head', limit, async (t) => {
  const { client, passOn, pass, refusals } = await openRecord(t);
  for (let second = 0; second <= 10; second += 1) {
    assert.deepEqual(refusals, []);
    await passOn(second, second + 1);
    pass(1);
  }
  assert.deepEqual([statusesIn(await readToEnd(client)), refusals], [[408], ['headTooSlow']]);
});

test('50 clients that send half a head each, and go on in records of one byte, are refused, and nothing is thrown', limit, async (t) => {
  const { dial, pass, refusals, failures } = await startServer(t, { over: 'TLS' });
  const pairs: Pair[] = [];
  while (pairs.length < 50) pairs.push(await dial());
  const clients = await Promise.all(pairs.map(async ({ below }) => {
    const { client, recordsOf } = await connectRecords(below);
    client.write('GET /');
    return { client, below, records: await recordsOf('x'.repeat(60)) };
  }));
  for (const { below, records } of clients) below.write(records);
  for (let seconds = 0; seconds < 60 || refusals.length < 50; seconds += 1) { // while their records wait for their turns
    pass(1);
    await iteration();
  }
  for (const { client } of clients) assert.deepEqual(statusesIn(await readToEnd(client)), [408]);
  assert.deepEqual(failures, []);
});

test('no time passes for a request while its content waits for its turn', limit, async (t) => {
  const { open, pass, turns, refusals } = await startServer(t);
  const pair = await open();
  await send(pair, requestBytes('POST', '/', ['Content-Length: 60000']));
  const stopBusy = keepBusy(t, turns);
  pair.accepted.once('data', () => pass(100)); // nothing is taken meanwhile
  pair.client.write('x'.repeat(60_000));
  await readReplies(pair.client, 1);
  stopBusy();
  assert.deepEqual(refusals, []);
});

test('a connection that is late, and goes on before its turn to end comes, does not end', limit, async (t) => {
  const { open, pass, turns, ended } = await startServer(t);
  const pair = await open();
  await stall(pair);
  const tasks: (() => void)[] = [];
  const { mock } = t.mock.method(turns, 'enqueue', (_: string, _kind: Kind, task: () => void) => { tasks.push(task); });
  pass(16);
  mock.restore();
  await readReplies(pair.client, 1);
  pair.client.resume();
  await use(pair); // the reply before has been flushed then
  for (const task of tasks) task();
  await use(pair);
  assert.deepEqual([tasks.length, ended], [1, []]);
});
