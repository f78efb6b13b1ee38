// How time is counted, with a clock that the tests hold: requests that take too long (408), and what waits for its turn, for which no time
// passes. The other limits are in ends.test.ts and in the simulation.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { BUDGET } from '../../src/transport/turns.ts';
import { requestBytes } from '../support/exchange.ts';
import { connectRecords } from '../support/records.ts';
import { brief, readReply, readToEnd, send, startServer, statusesIn, type Pair } from '../support/server.ts';
import { closed, iterations, until } from '../support/sockets.ts';

const limit = { timeout: 60_000 };
const get = requestBytes('GET', '/', []);

for (const over of ['TCP', 'TLS'] as const) {
  test(`over ${over}, no time passes for a request while its content waits for its turn`, limit, async (t) => {
    const { open, pass, turns, refusals } = await startServer(t, { over });
    const pair = await open();
    await send(pair, requestBytes('POST', '/', ['Content-Length: 60000']));
    let isBusy = true;
    t.after(() => { isBusy = false; });
    const ask = (name: string) => turns.enqueue(name, () => {
      turns.spend(BUDGET);
      if (isBusy) ask(name);
    });
    for (const name of ['a', 'b']) ask(name); // two other clients use up each iteration, so this one gets a third of them
    pair.accepted.once('data', () => pass(100)); // nothing is taken meanwhile
    pair.client.write('x'.repeat(60_000));
    await readReply(pair.client);
    assert.deepEqual(refusals, []);
  });
}

test('a TLS record that arrives a byte at a time is late after 10 s, like a head', limit, async (t) => {
  const { dial, pass, refusals } = await startServer(t, { over: 'TLS' });
  const { below, accepted, socket } = await dial();
  const [{ client, recordsOf }] = await Promise.all([connectRecords(below), once(socket, 'secure')]);
  const record = await recordsOf([get]);
  for (let second = 0; second <= 10; second += 1) {
    assert.deepEqual(refusals, []);
    const { bytesRead } = accepted;
    below.write(record.subarray(second, second + 1));
    await until(() => accepted.bytesRead > bytesRead);
    await iterations();
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

test('a connection that is late, and goes on before its turn to end comes, does not end', limit, async (t) => {
  const { openInMemory, pass, turns, records } = await startServer(t);
  const accepted = openInMemory();
  await iteration();
  accepted.deliver(Buffer.from('GET / HTTP/1.1\r\n'));
  const tasks: (() => void)[] = [];
  const { mock } = t.mock.method(turns, 'enqueue', (_: string, task: () => void) => { tasks.push(task); });
  pass(11);
  mock.restore();
  accepted.deliver(Buffer.from('Host: a\r\n\r\n'));
  for (const task of tasks) task();
  assert.deepEqual([tasks.length, accepted.destroyed, records.map(brief)], [1, false, [['/', 200, undefined]]]);
});

test('time passes for a connection whose last reply is not read, also while what follows waits to be discarded', limit, async (t) => {
  const { open, pass, ended } = await startServer(t, { limits: { discardMs: 1_000_000 } });
  const { client, socket, accepted } = await open();
  client.pause().write(requestBytes('GET', '/long'));
  await until(() => socket.writableLength > 0);
  const { bytesRead } = accepted;
  client.write('x'.repeat(3_000));
  await until(() => accepted.bytesRead > bytesRead);
  pass(16);
  await closed(socket);
  assert.deepEqual(ended, ['replyNotRead']);
});
