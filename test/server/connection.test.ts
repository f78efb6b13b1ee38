// A connection reads one request at a time, and every last reply arrives, whatever else the client sends or does not read.
// Where a request ends, and which one is the last, is in test/http: here is one example of each kind.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { openPair, readToEnd, sendRead, stall } from '../support/both-sides.ts';
import { countTurns } from '../support/turns.ts';
import { liveHeap } from '../support/live-heap.ts';
import { requestStarts } from '../support/request-start.ts';
import { startService } from '../support/service.ts';
import { exchange, parseReplies, request, requestBytes } from '../support/exchange.ts';
import { ServiceEnd } from '../tools/simulation/service-end.ts';

const get = requestBytes('GET', '/health', []);
const close = requestBytes('GET', '/health');
const greetings = requestBytes('GET', '/api/greetings', []);
const chunkedHead = requestBytes('POST', '/health', ['Transfer-Encoding: chunked']);
const connectHead = requestBytes('CONNECT', 'a:80', []);
const noHost = 'GET /health HTTP/1.1\r\n\r\n';
const times = (count: number, status = 200) => Array.from({ length: count }, () => status);
const statusesIn = (bytes: Buffer) => parseReplies(bytes).map(({ status }) => status);

async function statusesOf(port: number, bytes: string): Promise<number[]> {
  const { replies, ended } = await exchange(port, bytes);
  assert.ok(ended);
  return replies.map(({ status }) => status);
}

describe('what follows a request', { timeout: 20_000 }, () => {
  for (const [where, first, status] of [
    ['a request', get, 200],
    ['content with a length', `${requestBytes('POST', '/health', ['Content-Length: 5'])}\r\n\r\n\r`, 405],
    ['trailers', `${chunkedHead}3\r\nabc\r\n0\r\nX: y\r\n\r\n`, 405],
  ] as const) {
    for (const [what, bytes, statuses] of [
      ['junk', '\0', [400]],
      ['CONNECT', connectHead, [501]],
      ['empty lines and a request', `\r\n\r\n\n${close}`, [200]],
      ['malformed content', `${chunkedHead}z\r\n`, [400]],
    ] as const) {
      test(`in the same packet has its turn, and the reply before it is not lost: ${what} behind ${where}`, async (t) => {
        const { port } = await startService(t);
        assert.deepEqual(await statusesOf(port, get + first + bytes), [200, status, ...statuses]);
      });
    }
  }

  test('has its turn, also when every byte comes alone', async (t) => {
    const { port } = await startService(t);
    const client = connect({ port, host: '127.0.0.1', noDelay: true });
    for (const byte of `${get}${chunkedHead}1\r\nx\r\n0\r\n\r\n${requestBytes('POST', '/health', ['Content-Length: 3'])}abc\r\n${connectHead}`) {
      client.write(byte);
      await turn();
    }
    assert.deepEqual(statusesIn(await readToEnd(client)), [200, 405, 405, 501]);
  });

  for (const [what, bytes, status] of [
    ['Connection: close', close, 200],
    ['an illegal request', noHost, 400],
    ['100-continue', requestBytes('GET', '/nope', ['Expect: 100-continue', 'Content-Length: 5']), 404],
    ['too much content', `${chunkedHead}10001\r\n${'x'.repeat(0x10001)}\r\n0\r\n\r\n`, 413],
  ] as const) {
    test(`is neither answered nor executed nor recorded, when that was the last one: ${what}`, async (t) => {
      let asked = 0;
      const { port, records, reported } = await startService(t, { observed: true, now: () => ++asked });
      const { replies, ended } = await exchange(port, greetings + bytes + greetings.repeat(5));
      const ends = replies.map(({ headers, ...reply }) => [reply.status, headers.at(-1)]);
      assert.deepEqual(ends, [[200, 'Connection: keep-alive'], [status, 'Connection: close']]);
      assert.deepEqual([ended, asked, records.map((record) => record.status), reported], [true, 1, [200, status], []]);
    });
  }
});

describe('one request at a time', { timeout: 20_000 }, () => {
  test('while a reply is unread, no other request is answered, and hardly more is read', async (t) => {
    const service = await startService(t, { development: true, observed: true });
    const pair = await openPair(t, service);
    const starts = requestStarts(t);
    const sent = await stall(pair);
    assert.equal(starts.length, sent);
    pair.client.write(get.repeat(6_000));
    const { bytesRead } = pair.accepted;
    for (let i = 0; i < 200; i += 1) await turn();
    assert.equal(starts.length, sent, 'no request more has been answered');
    assert.ok(pair.accepted.bytesRead - bytesRead <= 3 * 64 * 1024, `${pair.accepted.bytesRead - bytesRead} bytes were read`);
    pair.client.end();
    assert.deepEqual(statusesIn(await readToEnd(pair.client)), times(sent + 6_000));
  });

  test('in a turn of the event loop, what is pipelined is read up to the budget, and the rest later', async (t) => {
    const turns = countTurns(t);
    const seenAt: number[] = [];
    const { port } = await startService(t, { now: () => seenAt.push(turns()) });
    const { replies } = await exchange(port, greetings.repeat(500) + close);
    assert.equal(replies.length, 501);
    const inATurn = Array.from(new Set(seenAt), (seen) => seenAt.filter((other) => other === seen).length);
    assert.ok(Math.max(...inATurn) <= 128, inATurn.join());
  });

  test('in a turn of the event loop at most 128 requests are read, and the others later', async (t) => {
    const turns = countTurns(t);
    const seenAt: number[] = [];
    const { port } = await startService(t, { now: () => seenAt.push(turns()) });
    const clients = await Promise.all(Array.from({ length: 300 }, async () => {
      const client = connect({ port, host: '127.0.0.1' });
      client.write(greetings); // so that the connection is known to have been accepted
      await once(client, 'data');
      return client;
    }));
    seenAt.length = 0;
    const replies = Promise.all(clients.map((client) => once(client, 'data')));
    for (const client of clients) client.write(greetings); // the kernel has all of them before the next turn
    await replies;
    for (const client of clients) client.destroy();
    assert.equal(seenAt.length, clients.length);
    const inATurn = Array.from(new Set(seenAt), (seen) => seenAt.filter((other) => other === seen).length);
    assert.ok(Math.max(...inATurn) <= 128, inATurn.join());
  });

  test('a client with many requests does not keep others waiting', async (t) => {
    const service = await startService(t);
    const pair = await openPair(t, service);
    let received = 0;
    pair.client.on('data', (chunk: Buffer) => (received += chunk.length));
    pair.client.write(get.repeat(20_000));
    await once(pair.client, 'data');
    assert.deepEqual(await statusesOf(service.port, close), [200]);
    const { length } = (await exchange(service.port, get + close)).replies;
    assert.ok(length === 2 && received < 20_000 * 100, `${received} bytes of replies came first`);
  });

  // Each is more than one read, so its client has to wait for several turns.
  for (const [what, bytes] of [
    ['chunks of one byte', `${chunkedHead}${'1\r\na\r\n'.repeat(5_000)}`],
    ['a single chunk of CR LF', `${chunkedHead}ea60\r\n${'\r\n'.repeat(30_000)}`],
    ['content with a length', `${requestBytes('POST', '/health', ['Content-Length: 65536'])}${'x'.repeat(60_000)}`],
    ['what follows a refusal', `${noHost}${'x'.repeat(1_000_000)}`],
  ] as const) {
    test(`in ${what}, no more is read in a turn than one read of 64 KiB, and a large read waits for its turn`, async (t) => {
      const service = await startService(t, { limits: { lingerMs: 600_000 } });
      const { client, accepted } = await openPair(t, service);
      const handled: number[] = [];
      accepted.on('data', (chunk: Buffer) => handled.push(chunk.length));
      client.write(bytes, 'latin1');
      for (let seen = 0; accepted.bytesRead < bytes.length || accepted.readableLength > 0;) {
        await turn();
        assert.ok(handled.length - seen <= 3, `${handled.length - seen} reads in a turn`);
        seen = handled.length;
      }
      assert.equal(accepted.destroyed, false);
    });
  }
});

describe('the end of the client\'s side', { timeout: 20_000 }, () => {
  for (const [what, bytes, statuses] of [
    ['a request', get, [200]],
    ['content', `${chunkedHead}3\r\nabc\r\n0\r\n\r\n`, [405]],
    ['a request with Connection: close', close, [200]],
    ['an illegal request', noHost, [400]],
    ['nothing', '', []],
    ['a request and empty lines', `${get}\r\n\r\n`, [200]],
    ['a head that breaks off', 'GET /health HTTP/1.1\r\nHo', [400]],
    ['500 requests and a head that breaks off', `${get.repeat(500)}GET /health HTTP/1.1\r\nHo`, [...times(500), 400]],
    ['content that breaks off', `${chunkedHead}3\r\nab`, [400]],
  ] as const) {
    test(`behind ${what} costs no reply`, async (t) => {
      const { port, refusals, records } = await startService(t, { observed: true });
      const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      client.end(bytes, 'latin1');
      assert.deepEqual(statusesIn(await readToEnd(client)), statuses);
      assert.deepEqual([refusals, records.map(({ status, aborted }) => [status, aborted])], [statuses.filter((status) => status === 400 || status === 501), statuses.map((status) => [status, undefined])]);
    });
  }

  test('costs no reply, and adds none, when it comes while a reply is unread', async (t) => {
    const service = await startService(t, { development: true });
    const pair = await openPair(t, service);
    const sent = await stall(pair);
    pair.client.end();
    while (!pair.accepted.readableEnded) await turn();
    await turn();
    assert.deepEqual(statusesIn(await readToEnd(pair.client)), times(sent));
  });

  test('ends a connection on which nothing is owed', async (t) => {
    const service = await startService(t);
    for (const count of [0, 1]) {
      const pair = await openPair(t, service);
      for (let i = 0; i < count; i += 1) {
        pair.client.write(get);
        await once(pair.client, 'data');
      }
      pair.client.end();
      assert.deepEqual(await readToEnd(pair.client), Buffer.alloc(0));
    }
  });
});

describe('the last reply', { timeout: 20_000 }, () => {
  const LONG_MS = 600_000; // longer than any test takes: what ends before that was ended by something else

  for (const [what, bytes, status] of [
    ['Connection: close', close, 200],
    ['an illegal request', noHost, 400],
    ['an upload of 10 MB', requestBytes('POST', '/health', ['Content-Length: 10000000']), 413],
    ['an upload of 10 MB in chunks', `${chunkedHead}989680\r\n`, 413],
    ['content, and Connection: close', `${requestBytes('POST', '/health', ['Connection: close', 'Content-Length: 5'])}12345`, 405],
  ] as const) {
    test(`to ${what}, arrives when the client sends 10 MB more and reads only then`, async (t) => {
      const { port, records } = await startService(t, { observed: true, limits: { lingerMs: LONG_MS } });
      const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).pause();
      await new Promise((resolve) => client.write(get + bytes + 'x'.repeat(10_000_000), 'latin1', resolve));
      assert.deepEqual(statusesIn(await readToEnd(client)), [200, status]);
      client.destroy();
      assert.deepEqual(records.map((record) => [record.status, record.aborted]), [[200, undefined], [status, undefined]]);
    });
  }

  test('while the service drains, is the first one', async (t) => {
    const { port, app } = await startService(t, { limits: { lingerMs: LONG_MS } });
    app.startDraining();
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).pause();
    await new Promise((resolve) => client.write(get + 'x'.repeat(10_000_000), resolve));
    const replies = parseReplies(await readToEnd(client));
    assert.deepEqual(replies.map(({ status, headers }) => [status, headers.at(-1)]), [[503, 'Connection: close']]);
    client.destroy();
  });

  for (const [what, last, status] of [
    ['an illegal request', noHost, 400],
    ['a request with Expect', requestBytes('GET', '/health', ['Expect: 100-continue', 'Content-Length: 1']), 200],
  ] as const) {
    test(`is the one to ${what}: what the client goes on sending is read, but neither parsed nor recorded`, async (t) => {
      const service = await startService(t, { observed: true, limits: { lingerMs: LONG_MS } });
      const pair = await openPair(t, service);
      const starts = requestStarts(t);
      pair.client.write(last);
      assert.deepEqual(statusesIn(await readToEnd(pair.client)), [status]);
      const { length } = starts;
      await sendRead(pair, get.repeat(40_000));
      assert.deepEqual([starts.length, service.records.length], [length, 1]);
    });
  }

  test('is followed by the end of the connection when the client ends its side', async (t) => {
    const service = await startService(t, { limits: { lingerMs: LONG_MS } });
    const pair = await openPair(t, service);
    const closed = once(pair.accepted, 'close');
    pair.client.write(close);
    assert.deepEqual(statusesIn(await readToEnd(pair.client)), [200]);
    pair.client.end(get + noHost);
    await closed;
  });
});

describe('a client that leaves', { timeout: 20_000 }, () => {
  for (const [what, before] of [
    ['two requests', get + get],
    ['a request with Expect', requestBytes('GET', '/health', ['Expect: 100-continue', 'Content-Length: 1'])],
    ['a request with content', `${chunkedHead}3\r\nabc\r\n0\r\n\r\n`],
    ['an illegal request', noHost],
    ['200 requests', get.repeat(200)],
  ] as const) {
    test(`after ${what} and CONNECT ends nothing but its connection, whatever the service is doing`, async (t) => {
      const service = await startService(t, { limits: { lingerMs: 1 } });
      for (const leave of ['end', 'destroy', 'resetAndDestroy'] as const) {
        for (let turns = 0; turns < 6; turns += 1) {
          const { client, accepted } = await openPair(t, service);
          const closed = new Promise((resolve) => accepted.once('close', resolve));
          client.pause().write(before + connectHead);
          for (let i = 0; i < turns; i += 1) await turn();
          client[leave]();
          client.resume().once('end', () => client.end());
          await closed;
        }
      }
      assert.equal((await request(service.port, 'GET', '/health')).status, 200);
      assert.deepEqual(service.reported, []);
    });
  }

  test('by resetting its connection is no error of ours, wherever it is in its request', async (t) => {
    const service = await startService(t, { observed: true });
    const { refusals, reported, records } = service;
    for (const bytes of ['', '\r\n', 'GET /hea', requestBytes('POST', '/health', ['Content-Length: 5']), `${requestBytes('POST', '/health', ['Content-Length: 5'])}a`, `${chunkedHead}3\r\na`, 'nonsense\r\n\r\n', get, close]) {
      const pair = await openPair(t, service);
      if (bytes !== '') await sendRead(pair, bytes);
      const closed = new Promise((resolve) => pair.accepted.once('close', resolve));
      pair.client.resetAndDestroy();
      await closed;
    }
    assert.deepEqual([refusals, reported], [[400], []]);
    assert.deepEqual(records.map(({ method, status, aborted, remoteAddress }) => [method, status, aborted, remoteAddress]), [
      ['POST', undefined, true, '127.0.0.1'], ['POST', undefined, true, '127.0.0.1'], ['POST', undefined, true, '127.0.0.1'],
      [undefined, 400, undefined, '127.0.0.1'], ['GET', 200, undefined, '127.0.0.1'], ['GET', 200, undefined, '127.0.0.1'],
    ]);
  });

  test('at once, so that its reply cannot be sent, has a record that says so', async (t) => {
    const service = await startService(t, { observed: true });
    for (const bytes of [get, close, noHost, connectHead, 'junk\r\n\r\n', `${chunkedHead}1\r\nx\r\n0\r\n\r\n`, `${requestBytes('POST', '/health', ['Content-Length: 3'])}ab`]) {
      const pair = await openPair(t, service);
      await turn();
      const closed = new Promise((resolve) => pair.accepted.once('close', resolve));
      pair.client.write(bytes);
      pair.client.resetAndDestroy();
      await closed;
      await turn();
    }
    assert.deepEqual(service.records.map(({ aborted }) => aborted), Array.from({ length: 7 }, () => true));
    assert.deepEqual(service.reported, []);
  });

  test('while a reply is unread has one record of it, and that says that the reply was not sent whole', async (t) => {
    const service = await startService(t, { development: true, observed: true });
    const pair = await openPair(t, service);
    const sent = await stall(pair);
    pair.client.write(get.repeat(10));
    assert.deepEqual(service.records.map(({ aborted }) => aborted), Array.from({ length: sent - 1 }, () => undefined), 'only what the kernel has taken has left');
    const closed = new Promise((resolve) => pair.accepted.once('close', resolve));
    pair.client.resetAndDestroy();
    await closed;
    assert.deepEqual(service.records.slice(sent - 1).map(({ path, status, aborted }) => [path, status, aborted]), [['/openapi/v1.json', 200, true]]);
  });
});

test('a request that comes in parts is answered at its end, and others are served meanwhile', { timeout: 20_000 }, async (t) => {
  const service = await startService(t);
  const starts = requestStarts(t);
  const pair = await openPair(t, service);
  await sendRead(pair, `${requestBytes('GET', '/health', ['Connection: close', 'Content-Length: 5'])}ab`);
  await request(service.port, 'GET', '/health');
  assert.equal(starts.length, 1);
  pair.client.write('cde');
  assert.deepEqual(parseReplies(await readToEnd(pair.client)).map((reply) => [reply.body, reply.headers.at(-1)]), [['Healthy', 'Connection: close']]);
});

test('a read of more than 2 KiB is held until its turn, and a smaller one is read at once', { timeout: 20_000 }, async (t) => {
  const { server } = await startService(t);
  for (const [length, isHeld] of [[2_048, false], [2_049, true]] as const) {
    const accepted = new ServiceEnd('192.0.2.1', 1_000, { written: () => {}, taken: () => {}, ended: () => {}, closed: () => {} });
    server.emit('connection', accepted);
    await turn();
    accepted.deliver(Buffer.from(requestBytes('POST', '/health', ['Content-Length: 20000']).padEnd(length, 'x')));
    assert.equal(accepted.isPaused(), isHeld);
  }
});

test('connections that have closed have no turn, so others have theirs soon', { timeout: 20_000 }, async (t) => {
  const { server } = await startService(t);
  let replies = 0;
  function connected(): ServiceEnd {
    const accepted = new ServiceEnd('192.0.2.1', 1_000, { written: () => { replies += 1; }, taken: () => {}, ended: () => {}, closed: () => {} });
    server.emit('connection', accepted);
    return accepted;
  }
  const long = Buffer.from(requestBytes('GET', '/health', [`X: ${'x'.repeat(3_000)}`]));
  const others = Array.from({ length: 20 }, connected);
  const last = connected();
  await turn();
  for (const accepted of others) accepted.deliver(long);
  const closed = Promise.all(others.map((accepted) => once(accepted, 'close')));
  for (const accepted of others) accepted.destroy();
  last.deliver(long);
  await closed;
  for (let turns = 0; turns < 3; turns += 1) await turn();
  assert.equal(replies, 1);
});

test('a connection that is idle keeps nothing of the request before', { timeout: 20_000 }, async (t) => {
  const { server } = await startService(t);
  const quiet = { written: () => {}, taken: () => {}, ended: () => {}, closed: () => {} };

  /** Opens 600 connections with a request each, whose query has this length. Returns how many bytes are in use then. */
  async function openAndAsk(length: number): Promise<number> {
    for (let i = 0; i < 600; i += 1) {
      const accepted = new ServiceEnd('192.0.2.1', 1_000, quiet);
      server.emit('connection', accepted);
      accepted.deliver(Buffer.from(requestBytes('GET', `/a/path/that/is/long?${'x'.repeat(length)}`, [])));
      for (let turns = 0; turns < 4; turns += 1) await turn();
    }
    return liveHeap();
  }

  const none = liveHeap();
  const short = await openAndAsk(0) - none;
  const long = await openAndAsk(15_000) - none - short;
  // The heads have 9 MB. What else the heap does between two measurements is less than a tenth of that.
  assert.ok(long < short + 4_500_000, `${long} bytes instead of ${short}`);
});
