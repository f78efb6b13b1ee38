// How connections end: early, each counted by its reason, and at the stop. The simulation covers the rest.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { request, requestBytes } from '../support/exchange.ts';
import { readToEnd, send, stall, startServer, statusesIn, use, type Pair, type TestServer } from '../support/server.ts';
import { closed, until } from '../support/sockets.ts';

const limit = { timeout: 60_000 };

type Act = (pair: Pair, server: TestServer) => unknown;
const reset = ({ below }: Pair) => below.resetAndDestroy();

const PLAIN: readonly (readonly [what: string, reasons: readonly string[], act: Act])[] = [
  ['goes away in the middle of a head', ['resetBeforeReply'], async (pair) => { await send(pair, 'GET /'); reset(pair); }],
  ['ends its side after five requests', [], async ({ client }) => { // over TLS, the records of their replies follow
    client.end(requestBytes('GET', '/', []).repeat(5));
    assert.deepEqual(statusesIn(await readToEnd(client)), [200, 200, 200, 200, 200]);
  }],
  ['goes away without reading', ['resetBeforeReply'], async (pair) => { await stall(pair); reset(pair); }],
  ['does not read', ['replyNotRead'], async (pair, { pass }) => { await stall(pair); pass(16); }],
  ['keeps its side open', ['notClosedByClient'], async ({ client, socket }, { pass }) => {
    client.write(requestBytes('GET', '/'));
    await readToEnd(client);
    await until(() => socket.writableFinished);
    pass(2);
  }],
  ['goes away between two requests', [], async (pair) => { await use(pair); reset(pair); }],
  ['is idle for too long', [], async (pair, { pass }) => { await use(pair); pass(76); }],
  ['is cut', [], async (pair, { closeAll }) => { await send(pair, requestBytes('POST', '/', ['Content-Length: 1'])); closeAll(); }],
];
const HANDSHAKE: typeof PLAIN = [
  ['takes too long for its handshake', ['handshakeTooSlow'], (_, { pass }) => pass(11)],
  ['sends what is no TLS', ['tlsFailed'], ({ below }) => below.write('GET / HTTP/1.1\r\n\r\n')],
  ['goes away during the handshake', ['tlsFailed'], async ({ below, accepted }) => {
    below.write('\x16');
    await until(() => accepted.bytesRead > 0);
    below.resetAndDestroy();
  }],
  ['ends its side during the handshake', ['tlsFailed'], ({ below }) => below.end('\x16\x03\x01\x02')],
  ['goes away before the handshake', [], reset],
];

for (const [over, cases] of [['TCP', PLAIN], ['TLS', PLAIN.slice(0, 2)], ['TLS', HANDSHAKE]] as const) {
  for (const [what, reasons, act] of cases) {
    test(`over ${over}, a client that ${what} is counted as ${reasons[0] ?? 'nothing'}`, limit, async (t) => {
      const server = await startServer(t, { over });
      const pair = await (cases === HANDSHAKE ? server.dial() : server.open());
      await act(pair, server);
      await closed(pair.socket);
      assert.deepEqual([server.ended, server.failures], [reasons, []]);
      if (cases !== HANDSHAKE) return;
      assert.deepEqual([await readToEnd(pair.client), server.records, server.refusals], [Buffer.alloc(0), [], []]);
      await use(await server.open());
    });
  }
}

test('at the stop, idle connections are closed a little later; one that owes a reply counts as cut', limit, async (t) => {
  const { dial, open, close, closeAll, pass } = await startServer(t, { over: 'TLS' });
  pass(0.999); // the next sweep, which does not close them either, is before their time
  const [silent, late, used, unread, head] = [await dial(), await open(), await open(), await open(), await open()];
  await stall(unread);
  await use(used);
  await send(head, 'GET /hea');
  await send(await open(), 'GET /hea'); // so that more owe no reply than owe one
  const isOver = close();
  pass(0.249);
  await iteration();
  assert.deepEqual([silent, late, used].map(({ socket }) => socket.destroyed), [false, false, false]);
  await use(late);
  pass(0.001);
  await Promise.all([silent, late, used].map(({ accepted }) => closed(accepted)));
  assert.deepEqual([unread, head].map(({ socket }) => socket.destroyed), [false, false]);
  assert.equal(closeAll(), 1);
  await isOver;
});

test('at the stop, requests whose connections have not been accepted yet are answered, and then no more are accepted', limit, async (t) => {
  const { close, port, listener } = await startServer(t);
  const exchanges = Array.from({ length: 50 }, () => request(port, 'GET', '/'));
  const isOver = close();
  for (const { status } of await Promise.all(exchanges)) assert.equal(status, 200);
  await isOver;
  assert.equal(listener.listening, false);
});

test('at the stop, clients that go on connecting cannot keep the server listening', limit, async (t) => {
  const { close, pass, listener, openInMemory } = await startServer(t);
  const isOver = close();
  for (let i = 0; i < 20; i += 1) {
    openInMemory().destroy();
    await iteration();
  }
  assert.equal(listener.listening, true);
  pass(0.25);
  assert.equal(listener.listening, false);
  await isOver;
});
