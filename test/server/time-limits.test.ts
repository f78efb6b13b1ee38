// How time is counted, with a clock that the tests hold: requests that take too long (408), and what waits for its turn, which is not idle:
// it is answered, at the stop, when room is made and at its time limit. The other limits are in ends.test.ts and in the simulation.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { LIMITS } from '../../src/server/limits.ts';
import { BUDGET, type Turns } from '../../src/server/turns.ts';
import { requestBytes } from '../support/exchange.ts';
import { readReplies, readToEnd, send, shakeHands, stall, startServer, statusesIn, use, type TestServer } from '../support/server.ts';
import { closed, until } from '../support/sockets.ts';

const limit = { timeout: 60_000 };
const get = requestBytes('GET', '/', []);

test('the limits', () => {
  const times = { headMs: 10_000, requestMs: 15_000, unreadMs: 15_000, lingerMs: 1_000, discardMs: 1, silentMs: 250, sweepMs: 1_000 };
  assert.deepEqual(LIMITS, times);
});

for (const over of ['TCP', 'TLS'] as const) {
  test(`over ${over}, a connection may be idle for as long as is configured, not counting a handshake`, limit, async (t) => {
    const { dial, pass } = await startServer(t, { over, keepAliveTimeoutMs: 3_001 });
    const below = await dial();
    const { accepted, socket } = below;
    pass(over === 'TLS' ? 5 : 0);
    if (over === 'TLS') await Promise.all([shakeHands(below), once(socket, 'secure')]);
    pass(4);
    await iteration();
    assert.equal(socket.writableEnded || socket.destroyed, false);
    pass(1);
    await closed(accepted);
  });
}

test('the time begins again when the connection is used, and at the first byte of a request after any empty lines', limit, async (t) => {
  const { open, pass } = await startServer(t, { keepAliveTimeoutMs: 20_000 });
  const pair = await open();
  for (let uses = 0; uses < 3; uses += 1) {
    await use(pair);
    pass(15);
    await send(pair, '\r\n');
  }
  pass(5);
  await send(pair, 'G');
  pass(10);
  await send(pair, `ET / HTTP/1.1\r\nHost: a\r\n\r\n${get.slice(0, 5)}`);
  await readReplies(pair.client, 1);
  pass(10);
  await send(pair, 'x');
  pass(1);
  assert.deepEqual(statusesIn(await readToEnd(pair.client)), [408]);
});

/** From now on other clients use up each iteration, until the returned function is called. A known one gets every other turn. */
function keepBusy(t: TestContext, turns: Turns): () => void {
  let isBusy = true;
  let count = 0;
  const ask = () => turns.wait(`client ${count += 1}`, () => {
    turns.spend(BUDGET);
    if (isBusy) ask();
  });
  ask();
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
  const { mock } = t.mock.method(turns, 'wait', (_: string, task: () => void) => { tasks.push(task); });
  pass(16);
  mock.restore();
  await readReplies(pair.client, 1);
  pair.client.resume();
  await use(pair); // the reply before has been flushed then
  for (const task of tasks) task();
  await use(pair);
  assert.deepEqual([tasks.length, ended], [1, []]);
});

test('a head of which a byte is read each second is late after 10 s, though one more waits whenever time is counted', limit, async (t) => {
  const { open, pass, turns, refusals } = await startServer(t);
  const { client, accepted } = await open();
  client.write('GET /');
  await once(accepted, 'data');
  const stopBusy = keepBusy(t, turns);
  for (let second = 0; second < 12 && refusals.length === 0; second += 1) {
    client.write('x');
    await once(accepted, 'pause');
    pass(1);
    if (second < 11) await once(accepted, 'resume');
  }
  stopBusy();
  assert.deepEqual(statusesIn(await readToEnd(client)), [408]);
});
