// What waits for its turn is not idle: it is answered, at the stop, when room is made and at its time limit, over TCP and over TLS.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { requestBytes } from '../support/exchange.ts';
import {
  keepBusy, readReplies, readToEnd, send, shakeHands, stall, startServer, statusesIn, use, type TestServer,
} from '../support/server.ts';
import { until } from '../support/wait.ts';

const limit = { timeout: 60_000 };
const get = requestBytes('GET', '/', []);

const events: readonly (readonly [string, (server: TestServer) => unknown])[] = [
  ['the server closes', ({ close }) => {
    void close();
    setImmediate(() => void close());
  }],
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
        if (how === 'the handshake') accepted.once('data', () => { stopBusy = keepBusy(server.turns); }); // what comes next ends it
        const pair = how === 'TCP' ? below : await shakeHands(below);
        if (how === 'TLS') await use(pair);
        if (how !== 'the handshake') stopBusy = keepBusy(server.turns);
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

test('a connection that is late, and goes on before its turn to end comes, does not end', limit, async (t) => {
  const { open, pass, turns, ended } = await startServer(t);
  const pair = await open();
  await stall(pair);
  const tasks: (() => void)[] = [];
  t.mock.method(turns, 'runOrWait', (_: string, task: () => void) => tasks.push(task));
  pass(16);
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
  const stopBusy = keepBusy(turns);
  for (let second = 0; second < 12 && refusals.length === 0; second += 1) {
    client.write('x');
    await once(accepted, 'pause');
    pass(1);
    if (second < 11) await once(accepted, 'resume');
  }
  stopBusy();
  assert.deepEqual(statusesIn(await readToEnd(client)), [408]);
});

test('connections that are late at the same time end in several turns', limit, async (t) => {
  const { open, pass, refusals } = await startServer(t);
  const pairs = [];
  for (let i = 0; i < 60; i += 1) {
    const pair = await open();
    await send(pair, 'GET');
    pairs.push(pair);
  }
  pass(11);
  assert.ok(refusals.length <= 32, `${refusals.length} at once`);
  for (const { client } of pairs) assert.deepEqual(statusesIn(await readToEnd(client)), [408]);
});
