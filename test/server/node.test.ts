// All that the server assumes of node beyond what node's documentation says: the title of each test is an assumption. Each is tried against
// node itself, and fails when it is no longer so.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { createSecureContext, TLSSocket } from 'node:tls';
import { connectRecords } from '../support/records.ts';
import { tlsOptions } from '../support/server.ts';
import { calm, closed, iterations, listenOnPort, startPair, until } from '../support/sockets.ts';

async function lengthOf(client: Socket): Promise<number> {
  let length = 0;
  for await (const chunk of client) length += chunk.length;
  return length;
}

const limit = { timeout: 60_000 };

test('when nothing waits after `write` to a socket (`writableLength` is 0), the kernel has it; otherwise the callback says when', limit,
  async (t) => {
    for (const [size, waiting] of [[1_000, 0], [50_000_000, 50_000_000]] as const) {
      const { client, accepted } = await startPair(t);
      client.pause();
      const taken = new Promise((resolve) => accepted.write(Buffer.alloc(size), resolve));
      assert.equal(accepted.writableLength, waiting);
      const received = lengthOf(client);
      if (waiting > 0) await taken;
      assert.equal(accepted.writableLength, 0);
      accepted.destroy(); // what node had kept would be lost
      assert.equal(await received, size);
    }
  });

test('a paused socket with `highWaterMark: 0` takes one more read from the kernel, none after `unshift`, also once that has been read, '
  + 'and sees the client end', limit,
  async (t) => {
    for (const [puts, expected] of [[false, 2], [true, 1]] as const) {
      const { client, accepted } = await startPair(t, { highWaterMark: 0 });
      let reads = 0;
      accepted.once('data', (bytes: Buffer) => { accepted.pause(); if (puts) accepted.unshift(bytes); });
      for (let i = 1; i <= 4; i += 1) {
        if (puts && i === 3) accepted.read();
        client.write('x');
        const before = accepted.bytesRead;
        await calm(t, () => accepted.bytesRead);
        if (accepted.bytesRead > before) reads += 1;
      }
      assert.equal(reads, expected);
    }
    const { client, accepted } = await startPair(t, { highWaterMark: 0 });
    const end = once(accepted.once('data', () => accepted.pause()), 'end');
    client.end('x');
    await end;
  });

test('requests of `node:http` that arrive together end in their order', limit, async (t) => {
  const ended: unknown[] = [];
  const server = http.createServer(({ url }) => { ended.push(url); });
  server.on('request', (request) => request.on('data', () => {}).on('end', () => ended.push(`end of ${request.url}`)));
  const client = connect(await listenOnPort(server), '127.0.0.1').on('error', () => {});
  t.after(() => { client.destroy(); server.close(); });
  client.write('POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nxGET /2 HTTP/1.1\r\nHost: a\r\n\r\n'
    + 'POST /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /4 HTTP/1.1\r\nHost: a\r\n\r\n');
  await until(() => ended.length === 8);
  assert.deepEqual(ended, ['/1', '/2', '/3', '/4', 'end of /1', 'end of /2', 'end of /3', 'end of /4']);
});

test('while connections wait in the kernel, at least one is accepted in each iteration', limit, async (t) => {
  let accepted = 0;
  const listener = createServer((socket) => { accepted += 1; socket.destroy(); });
  const port = await listenOnPort(listener);
  t.after(() => listener.close());
  for (let i = 0; i < 50; i += 1) connect({ port, host: '127.0.0.1' }).on('error', () => {}).unref();
  await iteration();
  for (let before = -1; accepted < 50; await iteration()) {
    assert.ok(accepted > before, `${accepted}`);
    before = accepted;
  }
});

type TlsOptions = {
  readonly highWaterMark?: number;
  readonly allowHalfOpen?: boolean;
  readonly written?: (done: () => void) => unknown; // is told that something is written, and calls `done` when it has been
};

/** A client over TLS, and the server's TLSSocket, over a stream of ours. */
async function startTlsPair(t: TestContext, { written = (done) => done(), ...options }: TlsOptions = {}) {
  const { client: below, accepted } = await startPair(t);
  let asked = 0;
  const stream = new Duplex({
    readableHighWaterMark: 0,
    allowHalfOpen: options.allowHalfOpen ?? true,
    read: () => void (asked += 1),
    write(bytes: Buffer, _, done) {
      accepted.write(bytes);
      written(done);
    },
    final: (done) => void accepted.end(done),
  });
  accepted.on('data', (bytes: Buffer) => stream.push(bytes)).on('end', () => stream.push(null));
  const secureContext = createSecureContext(await tlsOptions(t));
  const secured = new TLSSocket(stream, { isServer: true, secureContext, ...options });
  const errors: unknown[] = [];
  secured.on('error', (error) => errors.push(error));
  const made = connectRecords(below);
  made.catch(() => {});
  return { made, below, stream, secured, errors, asked: () => asked };
}

describe('a TLSSocket of a server over a stream:', limit, () => {
  test('`write` calls back when the stream below has written all, or when it is destroyed, perhaps without an error', async (t) => {
    let isHeld = false, release = () => {};
    const { made, secured } = await startTlsPair(t, { written: (done) => {
      if (isHeld) release = done;
      else done();
    } });
    await made;
    const calls: boolean[] = []; // whether it was destroyed then
    const write = async () => {
      isHeld = true;
      secured.write(Buffer.alloc(100_000), () => calls.push(secured.destroyed));
      await iterations();
      assert.equal(secured.writableLength, 100_000);
      isHeld = false;
    };
    await write();
    assert.deepEqual(calls, []);
    release();
    await until(() => calls.length === 1);
    assert.equal(secured.writableLength, 0);
    await write();
    secured.destroy();
    await closed(secured);
    await iterations();
    assert.ok(calls[1] !== false);
  });

  test('it honours `highWaterMark`: while it is paused, it asks the stream below for nothing', async (t) => {
    const { made, secured, below, asked } = await startTlsPair(t, { highWaterMark: 0 });
    const { recordsOf } = await made;
    assert.equal(secured.readableHighWaterMark, 0);
    secured.once('data', () => secured.pause());
    below.write(await recordsOf('abc'));
    await until(() => secured.readableLength >= 2);
    await iterations();
    const before = asked();
    below.write(await recordsOf('d'));
    await calm(t, asked);
    assert.equal(asked(), before);
    let received = '';
    secured.on('data', (bytes: Buffer) => (received += String(bytes))).resume();
    await until(() => received === 'bcd');
    assert.ok(asked() > before);
  });

  test('it inherits `allowHalfOpen` from the stream below; its `bytesRead` counts data, and stays 0 during the handshake', async (t) => {
    const { made, secured } = await startTlsPair(t);
    const { client } = await made;
    assert.deepEqual([secured.allowHalfOpen, secured.bytesRead], [true, 0]);
    client.end('abc');
    await once(secured.resume(), 'end');
    assert.deepEqual([secured.writableEnded, secured.bytesRead], [false, 3]);
    secured.end('still here');
    assert.equal(await lengthOf(client), 10);
    assert.equal((await startTlsPair(t, { allowHalfOpen: false })).secured.allowHalfOpen, false);
  });

  test('after the handshake, if no tls.Server made it, `_tlsError` alone says that TLS failed, and nothing else happens', async (t) => {
    const { made, secured, below, errors } = await startTlsPair(t);
    const { recordsOf } = await made;
    const record = await recordsOf(['x']);
    record.writeUInt8(record.readUInt8(record.length - 1) ^ 1, record.length - 1);
    const failed = once(secured.resume(), '_tlsError');
    below.write(record);
    assert.equal((await failed)[0].code, 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC');
    await iterations();
    assert.deepEqual([errors, secured.destroyed, secured.errored], [[], false, null]);
  });

  for (const isOver of [false, true]) {
    test('when it is destroyed, the stream below closes, and the other way round; it listens for errors of that stream: '
      + `${isOver ? 'after' : 'in'} the handshake`, async (t) => {
      for (const [which, error] of [['secured', undefined], ['stream', undefined], ['stream', new Error('It failed.')]] as const) {
        const pair = await startTlsPair(t);
        if (isOver) await pair.made;
        assert.ok(pair.stream.listenerCount('error') > 0);
        const ends = Promise.all([closed(pair.secured), closed(pair.stream)]);
        pair[which].destroy(error);
        await ends;
        pair.below.destroy();
      }
    });
  }
});
