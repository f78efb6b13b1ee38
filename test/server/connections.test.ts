// How connections are closed at the stop, on real sockets; the simulation holds the rest. Which one makes room is in room.test.ts.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { exchangeOn, requestBytes } from '../support/exchange.ts';
import { send, stall, startServer, TRANSPORTS, use } from '../support/server.ts';
import { closed } from '../support/sockets.ts';

const limit = { timeout: 60_000 };

for (const over of TRANSPORTS) {
  describe(`over ${over}`, limit, () => {
    test('at the stop, idle connections are closed at once, new ones a little later; those count as cut that owe a reply', async (t) => {
      const { dial, open, close, closeAll, pass } = await startServer(t, { over });
      pass(0.999); // the next sweep, which does not close new ones either, is before their time
      const [silent, late, used, unread, head] = [await dial(), await open(), await open(), await open(), await open()];
      await stall(unread);
      await use(used);
      await send(head, 'GET /hea');
      await send(await open(), 'GET /hea'); // so that more owe no reply than owe one
      const isOver = close();
      await closed(used.accepted);
      pass(0.249);
      await iteration();
      assert.deepEqual([silent, late].map(({ socket }) => socket.destroyed), [false, false]);
      await use(late);
      pass(0.001);
      await Promise.all([closed(silent.accepted), closed(late.accepted)]);
      assert.deepEqual([unread, head].map(({ socket }) => socket.destroyed), [false, false]);
      assert.equal(closeAll(), 1);
      await isOver;
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
  });
}

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
