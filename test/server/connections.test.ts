// How many connections there may be, and how they are closed at the stop. Which address makes room is in addresses.test.ts.
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { temporaryFolder } from '../support/certificates.ts';
import { openPair, readReplies, readToEnd, sendRead, stall, startWithClock, use, type ClockedService, type Pair } from '../support/both-sides.ts';
import { startService, type Service } from '../support/service.ts';
import { exchange, exchangeOn, parseReplies, request, requestBytes } from '../support/exchange.ts';

const health = requestBytes('GET', '/health', []);
const greetings = requestBytes('GET', '/api/greetings', []);
const halfContent = `${requestBytes('GET', '/health', ['Content-Length: 2'])}a`;

async function openAll(service: ClockedService, count: number): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let i = 0; i < count; i += 1) pairs.push(await service.open());
  return pairs;
}

/** Calls `act` each time when a request has been answered and its reply has just left. */
function onEachReply(t: TestContext, act: () => void): void {
  const tell = () => process.nextTick(act);
  subscribe('http.server.response.finish', tell);
  t.after(() => unsubscribe('http.server.response.finish', tell));
}

describe('at MAX_CONNECTIONS', { timeout: 20_000 }, () => {
  test('the connection that has been idle longest makes room for a new one', async (t) => {
    const service = await startWithClock(t, { maxConnections: 3 });
    const pairs = await openAll(service, 3);
    for (const pair of pairs) await use(pair);
    service.pass(1);
    for (const pair of pairs.slice(0, 1)) await use(pair);
    service.pass(1);
    const fourth = await service.open();
    assert.deepEqual([...pairs, fourth].map(({ accepted }) => accepted.destroyed), [false, true, false, false]);
    await use(fourth);
    assert.deepEqual(service.dropped, ['idleClosed']);
  });

  test('one that has sent nothing, or empty lines only, makes room, too', async (t) => {
    const service = await startWithClock(t, { maxConnections: 1 });
    const silent = await service.open();
    const second = await service.open();
    await sendRead(second, '\r\n\r\n');
    const third = await service.open();
    assert.deepEqual([silent, second, third].map(({ accepted }) => accepted.destroyed), [true, true, false]);
    await use(third);
    assert.deepEqual(service.dropped, ['idleClosed', 'idleClosed']);
  });

  for (const [what, bytes] of [
    ['in the middle of a head', 'GET /hea'],
    ['in the middle of content', halfContent],
  ] as const) {
    test(`one that is ${what} makes no room: the new one is closed`, async (t) => {
      const service = await startWithClock(t, { maxConnections: 1 });
      const first = await service.open();
      await sendRead(first, bytes);
      const second = await service.open();
      assert.deepEqual([first, second].map(({ accepted }) => accepted.destroyed), [false, true]);
      assert.deepEqual(service.dropped, ['newRefused']);
    });
  }

  test('one whose reply is unread makes no room', async (t) => {
    const service = await startWithClock(t, { maxConnections: 1, development: true });
    const first = await service.open();
    const sent = await stall(first);
    const second = await service.open();
    assert.deepEqual([second.accepted.destroyed, service.dropped], [true, ['newRefused']]);
    await readReplies(first.client, sent);
  });

  test('one that pipelines is not idle between two of its requests', async (t) => {
    const service = await startService(t, { maxConnections: 1 });
    const pair = await openPair(t, service);
    const refused: Promise<unknown>[] = [];
    onEachReply(t, () => {
      if (refused.length < 50) refused.push(once(connect({ port: service.port, host: '127.0.0.1' }).on('error', () => {}).resume(), 'close'));
    });
    const requests = 10_000; // for many more turns of the event loop than 50
    pair.client.write(health.repeat(requests));
    await readReplies(pair.client, requests);
    await Promise.all(refused);
    assert.deepEqual(service.dropped, Array.from({ length: 50 }, () => 'newRefused'));
  });

  test('a place is free when a connection has closed', async (t) => {
    const service = await startWithClock(t, { maxConnections: 1 });
    const first = await service.open();
    await sendRead(first, 'GET');
    const closed = new Promise((resolve) => first.accepted.once('close', resolve));
    first.client.resetAndDestroy();
    await closed;
    await use(await service.open());
    assert.deepEqual(service.dropped, []);
  });
});

describe('at the stop', { timeout: 20_000 }, () => {
  test('an idle connection is closed at once, without lingering, and does not count as cut', async (t) => {
    const service = await startWithClock(t);
    const idle = await openAll(service, 5);
    for (const pair of idle) await use(pair);
    const busy = await service.open();
    await sendRead(busy, halfContent);
    const closed = service.app.close();
    assert.deepEqual([...idle, busy].map(({ accepted }) => accepted.destroyed), [true, true, true, true, true, false]);
    for (const { client } of idle) assert.deepEqual(await readToEnd(client), Buffer.alloc(0));
    assert.equal(service.app.closeAll(), 1);
    await closed;
  });

  test('those are counted as cut whose request or reply is in progress, and they have their records', async (t) => {
    const service = await startWithClock(t, { observed: true, development: true });
    const [used, silent, lines, head, content, ending, unread] = [
      await service.open(), await service.open(), await service.open(), await service.open(), await service.open(), await service.open(), await service.open(),
    ];
    await use(used);
    await sendRead(lines, '\r\n');
    await sendRead(head, 'GET /hea');
    await sendRead(content, halfContent);
    await sendRead(ending, requestBytes('GET', '/health'));
    await stall(unread);
    const { length } = service.records;
    const closed = service.app.close();
    assert.equal(service.app.closeAll(), 2);
    await closed;
    assert.ok([used, silent, lines, head, content, ending, unread].every(({ accepted }) => accepted.destroyed));
    assert.deepEqual(service.records.slice(length).map(({ path, status, aborted }) => [path, status, aborted]).sort(), [['/health', undefined, true], ['/openapi/v1.json', 200, true]]);
  });

  test('one that has received no byte is closed a little later, because its request may be on the way', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
    const service = await startService(t);
    const [silent, late] = [await openPair(t, service), await openPair(t, service)];
    const closed = service.app.close();
    t.mock.timers.tick(249);
    await use(late);
    assert.deepEqual([silent.accepted.destroyed, late.accepted.destroyed], [false, false]);
    t.mock.timers.tick(1);
    assert.deepEqual([silent.accepted.destroyed, late.accepted.destroyed], [true, true]);
    await closed;
  });

  test('one that becomes idle later is closed at the next sweep', async (t) => {
    const service = await startWithClock(t);
    const pair = await service.open();
    await sendRead(pair, halfContent);
    const closed = service.app.close();
    service.pass(1);
    assert.equal(pair.accepted.destroyed, false);
    pair.client.write('b');
    await readReplies(pair.client, 1);
    await sendRead(pair, '');
    service.pass(1);
    await closed;
    assert.equal(pair.accepted.destroyed, true);
  });

  test('one that pipelines gets every reply, whenever the service closes', async (t) => {
    for (const after of [0, 1, 2, 50]) {
      const service: Service = await startService(t, { limits: { silentMs: 1, sweepMs: 1 } });
      let replies = 0;
      onEachReply(t, () => {
        replies += 1;
        if (replies === after) void service.app.close();
      });
      const pair = await openPair(t, service);
      if (after === 0) pair.accepted.once('data', () => void service.app.close());
      pair.client.write(health.repeat(100));
      assert.equal(parseReplies(await readToEnd(pair.client)).length, 100, `closed after ${after}`);
    }
  });

  test('a request that is answered during the drain says Connection: close, wherever it was at the beginning', async (t) => {
    const service = await startService(t);
    const pairs = [await openPair(t, service), await openPair(t, service), await openPair(t, service), await openPair(t, service)];
    const parts = ['', '\r\nGET /hea', halfContent, requestBytes('POST', '/health', ['Transfer-Encoding: chunked'])];
    for (const [i, pair] of pairs.entries()) if (parts[i] !== '') await sendRead(pair, parts[i] ?? '');
    service.app.startDraining();
    const rests = [health, 'lth HTTP/1.1\r\nHost: a\r\n\r\n', 'b', '0\r\n\r\n'];
    for (const [i, { client }] of pairs.entries()) {
      client.write((rests[i] ?? '') + health);
      const replies = parseReplies(await readToEnd(client));
      assert.deepEqual(replies.map(({ status, headers }) => [status, headers.at(-1)]), [[i === 3 ? 405 : 503, 'Connection: close']]);
    }
  });

  test('a reply that is unread when the drain begins is followed by one more at most, which is the last', async (t) => {
    const service = await startWithClock(t, { development: true });
    const pair = await service.open();
    const sent = await stall(pair);
    service.app.startDraining();
    pair.client.write(greetings.repeat(10));
    const replies = parseReplies(await readToEnd(pair.client));
    assert.equal(replies.length, sent + 1);
    assert.deepEqual(replies.slice(-2).map(({ headers }) => headers.at(-1)), ['Connection: keep-alive', 'Connection: close']);
  });

  test('a request whose connection has not been accepted yet is answered', async (t) => {
    const { app, port } = await startService(t);
    const replies = Array.from({ length: 50 }, () => exchange(port, requestBytes('GET', '/health')));
    await app.close();
    for (const { replies: [reply] } of await Promise.all(replies)) assert.equal(reply?.status, 200);
  });

  test('no connection is accepted any more, and all listeners close', async (t) => {
    const { app, port } = await startService(t);
    const other = app.createServer().listen({ port: 0, host: '127.0.0.1' });
    await once(other, 'listening');
    await app.close();
    await assert.rejects(request(port, 'GET', '/health'), { code: 'ECONNREFUSED' });
    assert.equal(other.listening, false);
  });

  test('listening can be stopped first: connections live on until the service closes', async (t) => {
    const service = await startWithClock(t);
    const pair = await service.open();
    service.app.stopListening();
    assert.equal(service.server.listening, false);
    await use(pair);
    await service.app.close();
    assert.equal(pair.accepted.destroyed, true);
  });

  test('the records of requests that are cut are complete when the service has closed', async (t) => {
    const service = await startWithClock(t, { observed: true });
    await sendRead(await service.open(), halfContent);
    const closed = service.app.close();
    service.app.closeAll();
    await closed;
    assert.deepEqual(service.records.map(({ path, status, aborted, remoteAddress }) => [path, status, aborted, remoteAddress]), [['/health', undefined, true, '127.0.0.1']]);
  });
});

test('on a Unix socket, requests are answered by the same rules, and their records have no address', { timeout: 20_000 }, async (t) => {
  const path = join(temporaryFolder(t), 'http.sock');
  const { app, records } = await startService(t, { observed: true });
  const server = app.createServer().listen(path);
  await once(server, 'listening');
  const post = requestBytes('POST', '/health', ['Content-Length: 3']);
  const { replies, ended } = await exchangeOn(connect({ path }), `${health.repeat(100)}${post}abc${requestBytes('CONNECT', 'a:80', [])}`);
  assert.deepEqual(replies.map(({ status }) => status), [...Array.from({ length: 100 }, () => 200), 405, 501]);
  assert.ok(ended);
  assert.deepEqual(new Set(records.map(({ remoteAddress }) => remoteAddress)), new Set([undefined]));
  const idle = connect({ path });
  await once(server, 'connection');
  idle.write(health);
  await readReplies(idle, 1);
  const closed = app.close();
  await once(idle.resume(), 'end');
  await closed;
});

test('a client is counted until its socket has closed, not longer', { timeout: 20_000 }, async (t) => {
  const { port, dropped, server } = await startService(t, { maxConnections: 2 });
  for (let i = 0; i < 20; i += 1) {
    const connection = once(server, 'connection');
    const done = exchange(port, requestBytes('GET', '/health'));
    const [accepted] = await connection;
    await Promise.all([done, new Promise((resolve) => (accepted.closed ? resolve(undefined) : accepted.once('close', resolve)))]);
    await turn();
  }
  assert.deepEqual(dropped, []);
});

test('a connection that is cut while a request waits for its turn neither answers it nor logs it', { timeout: 20_000 }, async (t) => {
  let asked = 0;
  const service = await startService(t, { observed: true, now: () => { asked += 1; return 0; } });
  const { client } = await openPair(t, service);
  onEachReply(t, () => service.app.closeAll()); // the reply has left, and the next request waits
  client.write(greetings.repeat(3));
  await readToEnd(client);
  await turn();
  assert.deepEqual([asked, service.records.map(({ status, aborted }) => [status, aborted])], [1, [[200, undefined]]]);
});

test('a reply that is made when its connection has been cut does not count as sent', { timeout: 20_000 }, async (t) => {
  const cut: number[] = [];
  const service: Service = await startService(t, { observed: true, now: () => cut.push(service.app.closeAll()) });
  const { client } = await openPair(t, service);
  client.write(greetings);
  await readToEnd(client);
  assert.deepEqual([cut, service.records.map(({ status, aborted }) => [status, aborted])], [[1], [[200, true]]]);
});

test('at the stop, the next check of the limits does not close a new connection before its time', { timeout: 20_000 }, async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const service = await startService(t);
  const { accepted } = await openPair(t, service);
  t.mock.timers.tick(999);
  void service.app.close();
  t.mock.timers.tick(1);
  assert.equal(accepted.destroyed, false);
  t.mock.timers.tick(248);
  assert.equal(accepted.destroyed, false);
  t.mock.timers.tick(1);
  assert.equal(accepted.destroyed, true);
});
