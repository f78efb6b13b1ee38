// The listener and its server: what is accepted, swept and closed, and when.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { FairResponse } from '../../src/turns/fair-response.ts';
import { createFairServer } from '../../src/turns/fair-server.ts';
import { createTurns } from '../../src/turns/turns.ts';
import { request, requestBytes } from '../support/exchange.ts';
import { closed, iterations, listenOnPort, until } from '../support/sockets.ts';
import { start, startTurns, tlsOptions, TRANSPORTS } from './start.ts';

/** In a thread of their own, clients send a request each, say when the kernel has all, and count the replies. */
const CROWD = `
  const { once } = require('node:events');
  const { connect } = require('node:net');
  const { text } = require('node:stream/consumers');
  const { parentPort, workerData: { port, count, areWaiting } } = require('node:worker_threads');
  const clients = Array.from({ length: count }, () => connect({ port, host: '127.0.0.1' }).on('error', () => {}));
  Promise.all(clients.map(async (client) => {
    await once(client, 'connect');
    await new Promise((sent) => client.write('GET / HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n', sent));
  })).then(async () => {
    Atomics.store(areWaiting, 0, 1);
    Atomics.notify(areWaiting, 0);
    const replies = await Promise.all(clients.map((client) => text(client).catch(String)));
    parentPort.postMessage(replies.filter((reply) => reply.startsWith('HTTP/1.1 200 ')).length);
  });
`;

const limit = { timeout: 60_000 };
const GET = requestBytes('GET', '/', []);
const hello = (_: unknown, response: ServerResponse) => void response.end('hello');

test('it runs under a server of one\'s own, and leaves nothing', limit, async (t) => {
  const { mock } = t.mock.method(globalThis, 'clearInterval');
  const server = http.createServer({ ServerResponse: FairResponse }, (_, response) => response.end('hello'));
  const { listener, close } = createFairServer(server, { maxConnections: 1_000 });
  assert.equal((await request(await listenOnPort(listener), 'GET', '/')).body, 'hello');
  await close();
  assert.equal(mock.callCount(), 1);
});

for (const over of TRANSPORTS) {
  describe(`over ${over}:`, limit, () => {
    test('at the stop, idle connections close after 250 ms, and others at a sweep', async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
      const waiting: ServerResponse[] = [];
      const wait = (_: unknown, response: ServerResponse) => waiting.push(response);
      const { turns, turn, hold } = startTurns();
      const { open, dial, close, listener } = await start(t, wait, over, { sweepMs: 500, turns });
      const [silent, idle, late, busy, held] = [await dial(), await open(), await open(), await open(), await open()];
      busy.client.write(GET);
      await until(() => waiting.length === 1);
      let isOver = false;
      const isClosed = close().then(() => (isOver = true));
      await iterations();
      assert.equal(listener.listening, false, 'nobody waits in the kernel');
      t.mock.timers.tick(249);
      late.client.write(GET);
      await until(() => waiting.length === 2);
      assert.deepEqual([silent, idle].map(({ raw }) => raw.destroyed), [false, false]);
      hold();
      held.client.write(GET);
      await until(() => !held.valve.isIdle); // it waits for a turn, and Node does not know of it
      t.mock.timers.tick(1);
      await Promise.all([closed(idle.raw), closed(silent.raw)]);
      turn();
      assert.equal(waiting.length, 3);
      for (const response of waiting) response.end();
      await until(() => [busy, late, held].every(({ valve }) => valve.isIdle));
      assert.deepEqual([busy, late, held].map(({ raw }) => raw.destroyed), [false, false, false]);
      assert.equal(isOver, false);
      t.mock.timers.tick(250); // the sweep
      await isClosed;
    });

    test('all connections can be closed at once, in their handshake, too; before that, they work', async (t) => {
      const { open, dial, stopListening, closeAll, listener } = await start(t, hello, over);
      const [silent, reset, { client, raw }] = [await dial(), await dial(), await open()];
      reset.below.resetAndDestroy();
      stopListening();
      assert.equal(listener.listening, false);
      client.write(GET);
      await Promise.all([once(client, 'data'), closed(reset.raw)]);
      closeAll();
      await Promise.all([closed(silent.raw), closed(raw)]);
    });

    test('without turns, a client that has ended its side has 30 s, even if Node never hears of a reset', async (t) => {
      const waiting: ServerResponse[] = [];
      const { open } = await start(t, (_, response) => waiting.push(response), over, { isFair: false });
      const { client, accepted } = await open();
      client.write(GET);
      await until(() => waiting.length === 1);
      client.end();
      await once(accepted, 'end');
      assert.equal(accepted.timeout, 30_000);
    });

    test('without turns Node gets the sockets; new ones give way, and at the stop idle ones close', async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const dropped: string[] = [];
      const options = { isFair: false, maxConnections: 2, dropped: (why: string) => dropped.push(why) };
      const { open, dial, close, listener } = await start(t, hello, over, options);
      const one = await open();
      assert.equal(Object.is(one.valve, one.accepted), true);
      one.client.write(GET);
      await once(one.client, 'data');
      const silent = await dial();
      await closed((await dial()).raw);
      assert.deepEqual(dropped, ['newRefused']);
      const isClosed = close();
      await until(() => !listener.listening);
      t.mock.timers.tick(250);
      await Promise.all([closed(one.raw), closed(silent.raw), isClosed]);
    });
  });
}

test('what takes a connection over after an Upgrade may read it by `readable`, and gets all', limit, async (t) => {
  const { server, open } = await start(t, hello, 'TCP');
  server.on('upgrade', (_, socket) => {
    let length = 0;
    socket.on('readable', () => { length += socket.read()?.length ?? 0; });
    socket.on('end', () => socket.end(`${length}`));
  });
  const { client } = await open();
  const parts: unknown[] = [];
  client.on('data', (part) => parts.push(part));
  client.end(`${GET.replace('\r\n', '\r\nConnection: upgrade\r\nUpgrade: x\r\n')}${'x'.repeat(10_000)}`);
  await until(() => parts.join('') === '10000');
});

describe('its listener', limit, () => {
  test('may fail at the stop, which comes to its end all the same', async (t) => {
    const { close, listener } = await start(t, hello, 'TCP');
    const isOver = close();
    listener.on('error', () => {}).emit('error', new Error('It failed.'));
    await isOver;
  });

  test('accepts what waits in the kernel when the stop begins, so that it is answered, and no more', async (t) => {
    const turns = createTurns();
    const { mock } = t.mock.method(turns, 'endAfterOne');
    const { close, port, listener } = await start(t, hello, 'TCP', { turns });
    const areWaiting = new Int32Array(new SharedArrayBuffer(4));
    const replied = once(new Worker(CROWD, { eval: true, workerData: { port, count: 50, areWaiting } }), 'message');
    assert.equal(Atomics.wait(areWaiting, 0, 0, 20_000), 'ok'); // until then, this thread accepts nothing
    t.mock.timers.enable({ apis: ['setTimeout'] });
    t.mock.method(performance, 'now', () => 1_000);
    const isOver = close();
    assert.deepEqual(await replied, [50]);
    t.mock.timers.tick(250);
    await isOver;
    assert.deepEqual([listener.listening, mock.callCount()], [false, 50]);
  });

  test('accepts for 250 ms at most, though clients go on connecting', async (t) => {
    const { close, closeAll, listener, port } = await start(t, hello, 'TCP');
    const { mock } = t.mock.method(performance, 'now', () => 1_000);
    const accepted = t.mock.fn();
    listener.on('connection', accepted);
    for (let i = 0; i < 200; i += 1) connect({ port, host: '127.0.0.1' }).on('error', () => {}).unref();
    const isOver = close();
    for (const [now, isListening] of [[1_000, true], [1_249, true], [1_250, false]] as const) {
      mock.mockImplementation(() => now);
      await iterations();
      assert.equal(listener.listening, isListening);
    }
    assert.ok(accepted.mock.callCount() < 200, 'others waited');
    closeAll();
    await isOver;
  });

  test('who resets the connection at the end of the TLS handshake is not served', async (t) => {
    const { server, dial } = await start(t, hello, 'TLS');
    const served = t.mock.fn();
    server.on('connection', served);
    for (let time = 0; time < 3; time += 1) {
      const { below, raw } = await dial();
      const client = connectTls({ socket: below, rejectUnauthorized: false }).on('error', () => {});
      client.once('secureConnect', () => setImmediate(() => below.resetAndDestroy())); // before the server reads on
      await closed(raw);
    }
    assert.equal(served.mock.callCount(), 0);
  });

  test('has the newest certificate; where TLS fails, the connection closes', async (t) => {
    const { open, dial, setSecureContext } = await start(t, hello, 'TLS');
    setSecureContext(tlsOptions(t, 'renewed'));
    const { client } = await open();
    assert.equal(client instanceof TLSSocket && client.getPeerCertificate().subject.CN, 'renewed');
    const { below, raw } = await dial();
    below.write('GET / HTTP/1.1\r\n\r\n');
    await closed(raw);
  });
});
