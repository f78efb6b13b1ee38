// How connections are closed: for a new one, and at the stop. Which one makes room is in room.test.ts.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { Turns } from '../../src/server/turns.ts';
import { exchangeOn, parseReplies, requestBytes } from '../support/exchange.ts';
import { brief, readReplies, readToEnd, send, stall, startServer, TRANSPORTS, use } from '../support/server.ts';
import { closed, until } from '../support/wait.ts';

const limit = { timeout: 60_000 };
const get = requestBytes('GET', '/', []);
const halfContent = `${requestBytes('POST', '/', ['Content-Length: 2'])}a`;

for (const over of TRANSPORTS) {
  describe(`over ${over}`, limit, () => {
    test('at MAX_CONNECTIONS, idle connections and those without a handshake make room, and others do not', async (t) => {
      const { dial, open, dropped } = await startServer(t, { over, maxConnections: 2 });
      const [silent, used] = [await dial(), await open()];
      await use(used);
      const [head, content] = [await open(), await open()];
      await Promise.all([closed(silent.accepted), closed(used.accepted)]);
      await send(head, 'GET /hea');
      await send(content, halfContent);
      await closed((await dial()).accepted);
      assert.deepEqual(dropped, ['idleClosed', 'idleClosed', 'newRefused']);
      content.client.write('b');
      await readReplies(content.client, 1);
    });

    test('at the stop, idle connections are closed at once, new ones a little later; those count as cut that owe a reply', async (t) => {
      const { dial, open, close, closeAll, pass, records } = await startServer(t, { over });
      const [silent, late, used, lines] = [await dial(), await open(), await open(), await open()];
      const [unread, head, content, ending] = [await open(), await open(), await open(), await open()];
      await stall(unread);
      await use(used);
      await send(lines, '\r\n');
      await send(head, 'GET /hea');
      await send(content, halfContent);
      ending.client.write(requestBytes('GET', '/'));
      await readToEnd(ending.client);
      records.length = 0;
      const isOver = close();
      await Promise.all([closed(used.accepted), closed(lines.accepted)]);
      for (const { client } of [used, lines]) assert.equal((await readToEnd(client)).length, 0);
      pass(0.249);
      assert.deepEqual([silent, late].map(({ socket }) => socket.destroyed), [false, false]);
      await use(late);
      pass(0.001);
      await Promise.all([closed(silent.accepted), closed(late.accepted)]);
      assert.deepEqual([unread, head, content, ending].map(({ socket }) => socket.destroyed), [false, false, false, false]);
      assert.equal(closeAll(), 2);
      await isOver;
      assert.ok([unread, head, content, ending].every(({ socket }) => socket.destroyed));
      assert.deepEqual(records.map(brief).sort(), [['/', undefined, true], ['/', 200, undefined], ['/long', 200, true]]);
    });

    test('at the stop, requests whose connections have not been accepted yet are answered, and then no more are accepted', async (t) => {
      const { close, place, listener } = await startServer(t, { over });
      const dial = () => (over === 'TLS' ? connectTls({ ...place, rejectUnauthorized: false }) : connect(place));
      const exchanges = Array.from({ length: 50 }, () => exchangeOn(dial(), requestBytes('GET', '/')));
      const isOver = close();
      for (const { replies: [reply] } of await Promise.all(exchanges)) assert.equal(reply?.status, 200);
      await isOver;
      assert.equal(listener.listening, false);
    });

    for (const after of [0, 1, 2, 50]) {
      test(`at the stop, after ${after} replies, a connection that pipelines gets all of them`, async (t) => {
        let replies = 0;
        const { open, close, pass } = await startServer(t, { over, reports: { finished: () => {
          replies += 1;
          if (replies === after) process.nextTick(close);
        } } });
        const { client, socket } = await open();
        if (after === 0) socket.once('data', close);
        client.write(get.repeat(100));
        await readReplies(client, 100);
        await until(() => replies === 100);
        pass(2);
        await closed(socket);
      });
    }
  });
}

describe('when all places are taken', limit, () => {
  test('a connection that pipelines is not idle between two of its requests', async (t) => {
    let replies = 0;
    const server = await startServer(t, { maxConnections: 1, turns: new Turns(1), reports: { finished: () => {
      replies += 1;
      if (replies < 100) process.nextTick(server.openInMemory); // the reply has been flushed, and the next request waits
    } } });
    const { client } = await server.open();
    client.write(get.repeat(100));
    await readReplies(client, 100);
    assert.deepEqual(server.dropped, Array.from({ length: 99 }, () => 'newRefused'));
  });

  test('a place is free when a connection has closed', async (t) => {
    const { open, dropped } = await startServer(t, { maxConnections: 2 });
    for (let i = 0; i < 20; i += 1) {
      const { client, accepted } = await open();
      client.write('GET');
      await until(() => accepted.bytesRead > 0);
      client.resetAndDestroy();
      await closed(accepted);
      await turn();
    }
    assert.deepEqual(dropped, []);
  });
});

describe('at the stop', limit, () => {
  test('one that becomes idle later is closed at the next sweep', async (t) => {
    const { open, close, pass } = await startServer(t);
    const pair = await open();
    await send(pair, halfContent);
    const isOver = close();
    pass(1);
    assert.equal(pair.accepted.destroyed, false);
    await send(pair, 'b');
    await readReplies(pair.client, 1);
    pass(1);
    assert.equal(pair.accepted.destroyed, true);
    await isOver;
  });

  test('the next sweep does not close a new one before its time', async (t) => {
    const { open, close, pass } = await startServer(t);
    const { accepted } = await open();
    pass(0.999);
    void close();
    pass(0.249);
    assert.equal(accepted.destroyed, false);
    pass(0.001);
    assert.equal(accepted.destroyed, true);
  });

  test('a request that is answered during the drain is the last, wherever it was at the beginning', async (t) => {
    const { open, drain } = await startServer(t);
    const parts = [['', get], ['\r\nGET /hea', 'lth HTTP/1.1\r\nHost: a\r\n\r\n'], [halfContent, 'b']] as const;
    const pairs = [await open(), await open(), await open()];
    for (const [i, pair] of pairs.entries()) if (i > 0) await send(pair, parts[i]?.[0] ?? '');
    drain();
    for (const [i, { client }] of pairs.entries()) {
      client.write((parts[i]?.[1] ?? '') + get);
      const replies = parseReplies(await readToEnd(client));
      assert.deepEqual(replies.map(({ status, headers }) => [status, headers.at(-1)]), [[200, 'Connection: close']]);
    }
  });

  test('listening can be stopped first: connections live on until the server closes', async (t) => {
    const { open, stopListening, listener, close } = await startServer(t);
    const pair = await open();
    await use(pair);
    stopListening();
    assert.equal(listener.listening, false);
    await use(pair);
    await close();
    assert.equal(pair.accepted.destroyed, true);
  });
});

describe('a connection that is cut', limit, () => {
  test('while a request waits for its turn neither answers it nor logs it', async (t) => {
    const records: unknown[] = [];
    const { open, asked, closeAll } = await startServer(t, { reports: { finished: (record) => {
      records.push(brief(record));
      process.nextTick(closeAll); // the reply has been flushed, and the next request waits
    } } });
    const { client } = await open();
    client.write(get.repeat(3));
    await readToEnd(client);
    await turn();
    assert.deepEqual([asked, records], [['/'], [['/', 200, undefined]]]);
  });

  test('while its reply is made does not count as having sent it', async (t) => {
    const cut: number[] = [];
    const server = await startServer(t, { handler: () => {
      cut.push(server.closeAll());
      return { status: 200, fields: [], body: '' };
    } });
    const { client } = await server.open();
    client.write(get);
    await readToEnd(client);
    assert.deepEqual([cut, server.records.map(brief)], [[1], [['/', 200, true]]]);
  });
});
