// How long a connection may be in each of its states, over real sockets. The clock is held by the tests.
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { LIMITS } from '../../src/server/limits.ts';
import { Turns } from '../../src/server/turns.ts';
import { readReplies, readToEnd, sendRead, stall, startWithClock, use } from '../support/both-sides.ts';
import { keepBusy } from '../support/busy-turns.ts';
import { requestStarts } from '../support/request-start.ts';
import { startService } from '../support/service.ts';
import { exchange, parseReplies, request, requestBytes } from '../support/exchange.ts';

const health = requestBytes('GET', '/health', []);
const post = requestBytes('POST', '/health', ['Content-Length: 5']);
const chunked = requestBytes('POST', '/health', ['Transfer-Encoding: chunked']);
const timeout = { statusLine: 'HTTP/1.1 408 Request Timeout', status: 408, headers: ['Content-Length: 0', 'Date: now', 'Connection: close'], body: '' };
const of = { remoteAddress: '127.0.0.1', aborted: undefined };

test('the limits', () => {
  assert.deepEqual(LIMITS, { headMs: 10_000, requestMs: 15_000, unreadMs: 15_000, lingerMs: 1_000, silentMs: 250, sweepMs: 1_000 });
});

describe('an idle connection', { timeout: 20_000 }, () => {
  test('is closed after the idle time, without a reply, and not before', async (t) => {
    const { open, pass } = await startWithClock(t);
    const pair = await open();
    pair.client.write(health);
    const [bytes] = await once(pair.client, 'data');
    assert.deepEqual(parseReplies(bytes)[0]?.headers.slice(-2), ['Date: now', 'Connection: keep-alive']);
    pass(75);
    assert.equal(pair.accepted.destroyed, false);
    pass(1);
    assert.equal(pair.accepted.destroyed, true);
    assert.deepEqual(await readToEnd(pair.client), Buffer.alloc(0));
  });

  test('may be idle for the whole idle time when it is new, and is closed without 408', async (t) => {
    const { open, pass, refusals, records } = await startWithClock(t, { keepAliveTimeoutMs: 20_000, observed: true });
    const pair = await open();
    pass(20);
    assert.equal(pair.accepted.destroyed, false);
    pass(1);
    assert.equal(pair.accepted.destroyed, true);
    assert.deepEqual([await readToEnd(pair.client), refusals, records], [Buffer.alloc(0), [], []]);
  });

  test('lives when it is used again and again, and is closed one idle time after its last use', async (t) => {
    const { open, pass } = await startWithClock(t, { keepAliveTimeoutMs: 20_000 });
    const pair = await open();
    for (let uses = 0; uses < 3; uses += 1) {
      await use(pair);
      pass(15);
    }
    pass(5);
    assert.equal(pair.accepted.destroyed, false);
    pass(1);
    assert.equal(pair.accepted.destroyed, true);
  });

  test('empty lines are no activity: a client that sends them at intervals is closed as idle', async (t) => {
    const { open, pass, refusals, records } = await startWithClock(t, { observed: true });
    for (const isUsed of [false, true]) {
      const pair = await open();
      if (isUsed) await use(pair);
      for (let second = 0; second < 75; second += 5) {
        await sendRead(pair, ['\r\n', '\r', '\n', '\r\n\r\n', '\n\n'][second % 25 / 5] ?? '');
        pass(5);
      }
      assert.equal(pair.accepted.destroyed, false);
      pass(1);
      assert.equal(pair.accepted.destroyed, true);
      pair.client.pause();
      assert.deepEqual(await readToEnd(pair.client), Buffer.alloc(0));
    }
    assert.deepEqual([refusals, records.length], [[], 1]);
  });
});

describe('the clock of a request', { timeout: 20_000 }, () => {
  test('a head that does not end gets 408 after 10 s, and a record, and others are served meanwhile', async (t) => {
    const { open, pass, port, refusals, records } = await startWithClock(t, { observed: true });
    for (const head of ['G', 'GET /health HTTP/1.1\r\nHost: a\r\nX', '\r\n\r\nGET /health HTTP/1.1\r\n']) {
      const before = { refusals: refusals.length, records: records.length };
      const pair = await open();
      await sendRead(pair, head);
      pass(10);
      assert.equal((await request(port, 'GET', '/health')).status, 200);
      assert.equal(refusals.length, before.refusals);
      pass(1);
      assert.deepEqual(parseReplies(await readToEnd(pair.client)), [timeout]);
      assert.deepEqual(refusals.slice(before.refusals), [408]);
      const [, record] = records.slice(before.records);
      const known = head === 'G' ? { method: undefined, path: undefined } : { method: 'GET', path: '/health' };
      assert.deepEqual({ ...record, durationMs: 0, traceId: '' }, { ...known, traceId: '', status: 408, durationMs: 0, ...of });
      assert.equal(records.length, before.records + 2);
    }
  });

  for (const [what, bytes] of [
    ['content that does not come', post],
    ['trailers that do not end', `${chunked}0\r\nX: y\r\n`],
  ] as const) {
    test(`${what} gets 408 15 s after the first byte of its request, and one record`, async (t) => {
      const { open, pass, refusals, records } = await startWithClock(t, { observed: true });
      const pair = await open();
      await sendRead(pair, bytes.slice(0, 1));
      pass(9);
      await sendRead(pair, bytes.slice(1));
      pass(6);
      assert.deepEqual(refusals, []);
      pass(1);
      assert.deepEqual(parseReplies(await readToEnd(pair.client)), [timeout]);
      pass(5);
      assert.deepEqual(refusals, [408]);
      assert.deepEqual(records.map(({ method, path, status, remoteAddress, aborted }) => ({ method, path, status, remoteAddress, aborted })), [{ method: 'POST', path: '/health', status: 408, ...of }]);
    });
  }

  for (const [what, before, bytes, status] of [
    ['a whole request', '', health, 200],
    ['content', chunked, `7530\r\n${'x'.repeat(30_000)}\r\n0\r\n\r\n`, 405],
  ] as const) {
    test(`stands still while ${what} waits for its turn`, async (t) => {
      const turns = new Turns();
      const { open, pass, refusals } = await startWithClock(t, { turns });
      const pair = await open();
      await sendRead(pair, before);
      const stopBusy = keepBusy(turns);
      pair.accepted.once('data', () => pass(100)); // nothing is taken meanwhile
      pair.client.write(bytes);
      const [reply] = await once(pair.client, 'data');
      stopBusy();
      assert.deepEqual([parseReplies(reply).map((one) => one.status), refusals], [[status], []]);
    });
  }

  test('starts at the first byte that is not CR or LF, however long the connection was idle', async (t) => {
    const { open, pass, refusals } = await startWithClock(t);
    const pair = await open();
    pass(60);
    await sendRead(pair, '\r\n');
    pass(9);
    await sendRead(pair, '\r\nG');
    pass(10);
    assert.deepEqual(refusals, []);
    pass(1);
    assert.deepEqual([parseReplies(await readToEnd(pair.client)), refusals], [[timeout], [408]]);
  });

  test('a byte at a time gets no more time', async (t) => {
    const { open, pass, refusals } = await startWithClock(t);
    const pair = await open();
    await sendRead(pair, 'GET /health HTTP/1.1\r\nX: ');
    for (let second = 0; second < 10; second += 1) {
      pass(1);
      await sendRead(pair, 'x');
    }
    assert.deepEqual(refusals, []);
    pass(1);
    assert.deepEqual([parseReplies(await readToEnd(pair.client)), refusals], [[timeout], [408]]);
  });

  for (const [what, first, rest] of [
    ['half a request in each packet', 'GET /health HT', 'TP/1.1\r\nHost: a\r\n\r\n'],
    ['half a request with chunks in each packet', `${chunked}3\r\na`, 'bc\r\n0\r\n\r\n'],
    ['single bytes of the next request behind content', 'P', `${post.slice(1)}abcde`],
  ] as const) {
    test(`${what} is neither late nor immortal`, async (t) => {
      const { open, pass, refusals } = await startWithClock(t);
      const pair = await open();
      await sendRead(pair, first);
      for (let packets = 0; packets < 6; packets += 1) {
        pass(9);
        pair.client.write(rest + first);
        await once(pair.client.resume(), 'data');
        pair.client.pause();
      }
      await sendRead(pair, '');
      pass(8);
      assert.deepEqual(refusals, []);
      pass(8);
      assert.deepEqual(parseReplies(await readToEnd(pair.client)), [timeout]);
      assert.deepEqual(refusals, [408]);
    });
  }

  test('ends with the last byte of the request: an unread reply makes no 408, and neither does what is behind it', async (t) => {
    const { open, pass, refusals } = await startWithClock(t, { development: true });
    const pair = await open();
    const sent = await stall(pair);
    pair.client.write('GET /health HT');
    pass(14);
    pair.client.write('TP/1.1\r\nHost: a\r\n\r\n');
    pair.client.end();
    const replies = parseReplies(await readToEnd(pair.client));
    assert.deepEqual([replies.length, refusals], [sent + 1, []]);
  });

  test('a head that was behind an unread reply has its whole time', async (t) => {
    const { open, pass, refusals } = await startWithClock(t, { development: true });
    const pair = await open();
    await stall(pair);
    pair.client.write('GET /health HT');
    pass(14);
    const received: Buffer[] = [];
    pair.client.on('data', (chunk: Buffer) => received.push(chunk)).resume();
    while (pair.accepted.writableLength > 0 || pair.accepted.isPaused()) await sendRead(pair, '');
    await sendRead(pair, 'TP/1.1\r\n');
    pass(10);
    assert.deepEqual(refusals, []);
    pass(1);
    await once(pair.client, 'end');
    assert.deepEqual([parseReplies(Buffer.concat(received)).at(-1), refusals], [timeout, [408]]);
  });

  test('with a short idle time, content that pauses for longer is still answered', async (t) => {
    const { open, pass } = await startWithClock(t, { keepAliveTimeoutMs: 1 });
    const pair = await open();
    await sendRead(pair, requestBytes('GET', '/health', ['Content-Length: 2']));
    pass(10);
    pair.client.write('ab');
    const [bytes] = await once(pair.client, 'data');
    assert.deepEqual(parseReplies(bytes).map((reply) => reply.body), ['Healthy']);
  });
});

describe('a client that does not read', { timeout: 20_000 }, () => {
  test('is dropped after 15 s', async (t) => {
    const { open, pass, records } = await startWithClock(t, { development: true, observed: true });
    const pair = await open();
    const sent = await stall(pair);
    pass(15);
    assert.equal(pair.accepted.destroyed, false);
    pass(1);
    assert.equal(pair.accepted.destroyed, true);
    await readToEnd(pair.client);
    assert.deepEqual(records.map(({ aborted }) => aborted), Array.from({ length: sent }, (_, i) => (i === sent - 1 ? true : undefined)));
  });

  test('is dropped when the reply that it does not read is the last one, whatever it goes on sending', async (t) => {
    const { open, pass } = await startWithClock(t, { development: true });
    const pair = await open();
    await stall(pair);
    pair.client.write(`${requestBytes('GET', '/health')}more`);
    for (let second = 0; second < 16; second += 1) {
      pair.client.write('more');
      await sendRead(pair, '');
      pass(1);
    }
    assert.equal(pair.accepted.destroyed, true);
  });

  test('but reads late gets all its replies, and may then be idle for as long as any other', async (t) => {
    const { open, pass } = await startWithClock(t, { development: true });
    const pair = await open();
    const sent = await stall(pair);
    pair.client.write(health.repeat(100));
    pass(14);
    await readReplies(pair.client, sent + 100);
    while (pair.accepted.writableLength > 0) await turn();
    await sendRead(pair, '');
    pass(75);
    assert.equal(pair.accepted.destroyed, false);
    pass(1);
    assert.equal(pair.accepted.destroyed, true);
  });
});

describe('behind the last reply', { timeout: 20_000 }, () => {
  for (const [what, bytes, status] of [
    ['of node', requestBytes('POST', '/health', ['Content-Length: 10000000']), 413],
    ['to what is no request', 'junk\r\n\r\n', 400],
    ['to Connection: close', requestBytes('GET', '/health'), 200],
  ] as const) {
    test(`${what}, a client may go on sending for a second, and its connection is closed then`, async (t) => {
      const { open, pass } = await startWithClock(t);
      const pair = await open();
      pair.client.write(bytes);
      assert.deepEqual(parseReplies(await readToEnd(pair.client)).map((reply) => reply.status), [status]);
      await sendRead(pair, 'more');
      pass(1);
      await sendRead(pair, 'more');
      assert.equal(pair.accepted.destroyed, false);
      pass(1);
      assert.equal(pair.accepted.destroyed, true);
    });
  }

  test('the second begins when that reply has left', async (t) => {
    const { open, pass } = await startWithClock(t, { development: true });
    const pair = await open();
    const sent = await stall(pair);
    pair.client.write(requestBytes('GET', '/health'));
    pass(10);
    assert.equal(parseReplies(await readToEnd(pair.client)).length, sent + 1);
    pass(1);
    assert.equal(pair.accepted.destroyed, false);
    pass(1);
    assert.equal(pair.accepted.destroyed, true);
  });
});

test('without a held clock, too, a client that sends half a head gets 408', { timeout: 20_000 }, async (t) => {
  const { port } = await startService(t, { limits: { headMs: 20, sweepMs: 10 } });
  assert.deepEqual((await exchange(port, 'GET /')).replies, [timeout]);
});

// The first check may come right behind the beginning of a state, so less than a second may have passed.
for (const [what, keepAliveTimeoutMs, checks] of [['1.5 s', 1_500, 3], ['1 ms', 1, 2]] as const) {
  test(`a limit of ${what}, which is no whole number of checks, is never over early`, { timeout: 20_000 }, async (t) => {
    const { open, pass } = await startWithClock(t, { keepAliveTimeoutMs });
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

test('a request that waits for its turn when the idle time is over is answered', { timeout: 20_000 }, async (t) => {
  const { open, pass } = await startWithClock(t, { keepAliveTimeoutMs: 1 });
  const pair = await open();
  const replied = requestStarts(t);
  subscribe('http.server.response.finish', tell);
  t.after(() => unsubscribe('http.server.response.finish', tell));
  function tell(): void {
    if (replied.length === 1) process.nextTick(pass, 3); // the reply to the first one has left, and the second one waits
  }
  pair.client.write(health.repeat(2));
  await readReplies(pair.client, 2);
});
