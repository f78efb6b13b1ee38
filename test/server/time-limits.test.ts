// How long a connection may be in each of its states. The clock is held by the tests. What is late and what is not, whatever happens, is
// held by the simulation, too.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { LIMITS } from '../../src/server/limits.ts';
import { parseReplies, requestBytes } from '../support/exchange.ts';
import {
  keepBusy, readReplies, readToEnd, send, shakeHands, stall, startServer, statusesIn, TRANSPORTS, use, type Pair,
} from '../support/server.ts';
import { closed, until } from '../support/wait.ts';

const limit = { timeout: 60_000 };
const get = requestBytes('GET', '/', []);
const post = requestBytes('POST', '/', ['Content-Length: 5']);
const chunked = requestBytes('POST', '/', ['Transfer-Encoding: chunked']);
const last = requestBytes('GET', '/');
const fields = ['Content-Length: 0', 'Date: now', 'Connection: close'];
const timeout = { statusLine: 'HTTP/1.1 408 Request Timeout', status: 408, headers: fields, body: '' };

test('the limits', () => {
  assert.deepEqual(LIMITS, { headMs: 10_000, requestMs: 15_000, unreadMs: 15_000, lingerMs: 1_000, silentMs: 250, sweepMs: 1_000 });
});

const linger = async (pair: Pair, bytes: string): Promise<void> => {
  pair.client.write(bytes);
  await readToEnd(pair.client);
  await until(() => pair.socket.writableFinished);
  await send(pair, 'more');
};

// It may be so for so many seconds; a second more is too long. `status`: it is refused then.
const STATES: readonly (readonly [what: string, seconds: number, begin: (pair: Pair) => Promise<void>, status?: 408])[] = [
  ['new', 75, async () => {}],
  ['idle', 75, use],
  ['idle, with empty lines', 75, async (pair) => { await use(pair); await send(pair, '\r\n\r'); }],
  ['in a head', 10, (pair) => send(pair, 'G'), 408],
  ['in a head, after empty lines', 10, (pair) => send(pair, '\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nX'), 408],
  ['in content', 15, (pair) => send(pair, post), 408],
  ['in trailers', 15, (pair) => send(pair, `${chunked}0\r\nX: y\r\n`), 408],
  ['not reading', 15, stall],
  ['not reading its last reply', 15, async ({ client, socket }) => {
    client.pause().write(requestBytes('GET', '/long'));
    await until(() => socket.writableLength > 0);
  }],
  ['sending after its last reply', 1, (pair) => linger(pair, last)],
  ['sending after content that is too large', 1, (pair) => linger(pair, requestBytes('POST', '/', ['Content-Length: 10000000']))],
  ['sending after a refusal', 1, (pair) => linger(pair, 'junk\r\n\r\n')],
];

for (const over of TRANSPORTS) {
  describe(`over ${over}, a connection ends that is for too long`, limit, () => {
    for (const [what, seconds, begin, status] of STATES) {
      test(what, async (t) => {
        const { open, pass, refusals, records } = await startServer(t, { over });
        const pair = await open();
        await begin(pair);
        refusals.length = records.length = 0;
        pass(seconds);
        assert.deepEqual([pair.socket.destroyed, pair.socket.writableEnded && status !== undefined, refusals], [false, false, []]);
        pass(1);
        if (status !== undefined) assert.deepEqual(parseReplies(await readToEnd(pair.client)), [timeout]);
        else await closed(pair.socket);
        const refused = status === undefined ? [] : [408];
        assert.deepEqual([refusals, records.map((record) => record.status)], [refused, what.startsWith('not reading') ? [200] : refused]);
      });
    }
  });
}

test('a handshake takes nothing of the time that the connection may then be idle', limit, async (t) => {
  const { dial, pass } = await startServer(t, { over: 'TLS', keepAliveTimeoutMs: 3_000 });
  const below = await dial();
  pass(5);
  const { accepted } = below;
  await Promise.all([shakeHands(below), once(below.socket, 'secure')]);
  pass(3);
  assert.equal(accepted.destroyed, false);
  pass(1);
  await closed(accepted);
});

describe('the clock', limit, () => {
  test('begins again when the connection is used, and at the first byte of a request that is no empty line', async (t) => {
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
    assert.deepEqual(parseReplies(await readToEnd(pair.client)), [timeout]);
  });

  for (const [what, first, rest] of [
    ['half a request in each packet', 'GET / HT', 'TP/1.1\r\nHost: a\r\n\r\n'],
    ['half a request with chunks in each packet', `${chunked}3\r\na`, 'bc\r\n0\r\n\r\n'],
    ['single bytes of the next request after content', 'P', `${post.slice(1)}abcde`],
  ] as const) {
    test(`begins again with each request: ${what}`, async (t) => {
      const { open, pass, refusals } = await startServer(t);
      const pair = await open();
      await send(pair, first);
      for (let packets = 0; packets < 6; packets += 1) {
        pass(9);
        await send(pair, rest + first);
        await readReplies(pair.client, 1);
      }
      pass(8);
      assert.deepEqual(refusals, []);
      pass(8);
      assert.deepEqual(parseReplies(await readToEnd(pair.client)), [timeout]);
    });
  }

  test('stands still for what has come after an unread reply, which has its whole time then', async (t) => {
    const { open, pass, refusals } = await startServer(t);
    const pair = await open();
    await stall(pair);
    pair.client.write('GET / HT');
    pass(14);
    const received: Buffer[] = [];
    pair.client.on('data', (chunk: Buffer) => received.push(chunk)).resume();
    await until(() => pair.accepted.writableLength === 0);
    await send(pair, 'TP/1.1\r\n');
    pass(10);
    assert.deepEqual(refusals, []);
    pass(1);
    await until(() => pair.client.readableEnded);
    assert.deepEqual([parseReplies(Buffer.concat(received)).at(-1), refusals], [timeout, [408]]);
  });

  test('begins again when the last reply has been read, and does not when the client goes on sending', async (t) => {
    const { open, pass } = await startServer(t);
    const [reading, unread] = [await open(), await open()];
    for (const pair of [reading, unread]) {
      await stall(pair);
      pair.client.write(last);
    }
    pass(10);
    assert.deepEqual(statusesIn(await readToEnd(reading.client)), [200, 200]);
    await until(() => reading.accepted.writableFinished);
    pass(1);
    assert.equal(reading.accepted.destroyed, false);
    pass(1);
    assert.equal(reading.accepted.destroyed, true);
    for (let second = 0; second < 4; second += 1) {
      unread.client.write('more');
      pass(1);
    }
    assert.equal(unread.accepted.destroyed, true);
  });

  for (const [what, before, bytes] of [
    ['a whole request', '', get],
    ['content', chunked, `7530\r\n${'x'.repeat(30_000)}\r\n0\r\n\r\n`],
  ] as const) {
    test(`stands still while ${what} waits for its turn`, async (t) => {
      const { open, pass, turns, refusals } = await startServer(t);
      const pair = await open();
      await send(pair, before);
      const stopBusy = keepBusy(turns);
      pair.accepted.once('data', () => pass(100)); // nothing is taken meanwhile
      pair.client.write(bytes);
      await readReplies(pair.client, 1);
      stopBusy();
      assert.deepEqual(refusals, []);
    });
  }

  // The first check may come right after the beginning of a state, so less than a second may have passed.
  for (const [what, keepAliveTimeoutMs, checks] of [['1.5 s', 1_500, 3], ['1 ms', 1, 2]] as const) {
    test(`is never ahead: a limit of ${what}, which is no whole number of checks, is not over early`, async (t) => {
      const { open, pass } = await startServer(t, { keepAliveTimeoutMs });
      for (const isNew of [true, false]) {
        const pair = await open();
        if (!isNew) await use(pair);
        pass(checks - 1);
        assert.equal(pair.accepted.destroyed, false);
        pass(1);
        assert.equal(pair.accepted.destroyed, true);
      }
    });
  }
});
