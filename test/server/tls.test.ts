// What TLS adds: the handshake, and records. That a connection over it behaves like any other is in the other files.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { requestBytes } from '../support/exchange.ts';
import { connectRecords } from '../support/records.ts';
import { shakeHands, stall, startServer } from '../support/server.ts';
import { calm, closed } from '../support/sockets.ts';

const limit = { timeout: 60_000 };
const get = requestBytes('GET', '/', []);

describe('the handshake', limit, () => {
  test('agrees on HTTP/1.1 with a client that offers it, on nothing with one that offers none, and fails with HTTP/2 alone', async (t) => {
    const { dial } = await startServer(t, { over: 'TLS' });
    const clients = [await shakeHands(await dial(), { ALPNProtocols: ['h2', 'http/1.1'] }), await shakeHands(await dial())];
    assert.deepEqual(clients.map(({ client }) => client.alpnProtocol), ['http/1.1', false]);
    const pair = await dial();
    await assert.rejects(shakeHands(pair, { ALPNProtocols: ['h2'] }));
    await closed(pair.accepted);
  });

  test('is done once: renegotiation is refused', async (t) => {
    const { dial, failures } = await startServer(t, { over: 'TLS' });
    const { client, accepted } = await shakeHands(await dial(), { maxVersion: 'TLSv1.2' });
    const failed = once(client, 'error');
    client.resume().renegotiate({ rejectUnauthorized: false }, () => assert.fail('there was a second handshake'));
    assert.equal((await failed)[0].code, 'ERR_SSL_NO_RENEGOTIATION');
    await closed(accepted);
    assert.deepEqual(failures, []);
  });
});

test('of a handshake 8 KiB are read: OpenSSL can take 100 ms for a longer ClientHello', limit, async (t) => {
  const { dial, ended } = await startServer(t, { over: 'TLS' });
  const { below, accepted, socket } = await dial();
  const hello = Buffer.alloc(8 * 1024);
  hello.set([22, 3, 1, 0x1f, 0xfb, 1, 0, 0xff, 0xff]); // one record, and the beginning of a message of 64 KiB
  below.write(hello);
  await calm(t, () => accepted.bytesRead);
  assert.deepEqual([accepted.bytesRead, accepted.destroyed], [hello.length, false]);
  below.write(hello.subarray(0, 1));
  await Promise.all([closed(accepted), closed(socket)]);
  assert.deepEqual(ended, ['tlsFailed']);
});

describe('records', limit, () => {
  test('after an unread reply do not pile up in the memory: a few are decrypted', async (t) => {
    const { dial } = await startServer(t, { over: 'TLS' });
    const pair = await dial();
    const { client, recordsOf } = await connectRecords(pair.below);
    await stall({ ...pair, client });
    const marks = [pair.socket, pair.accepted].map((socket) => socket.readableHighWaterMark);
    assert.deepEqual(marks, [0, 0], 'while they are paused, nothing is read or decrypted ahead: see node.test.ts');
    const { bytesRead } = pair.socket;
    pair.below.write(await recordsOf('x'.repeat(300)));
    await calm(t, () => pair.accepted.bytesRead);
    assert.ok(pair.socket.bytesRead - bytesRead <= 32, `${pair.socket.bytesRead - bytesRead} records of 300`);
  });

  // An alert of TLS while an empty write is pending, such as one that says when a reply is flushed, would be an uncaught error in Node 20.
  test('that are corrupt end the connection at once, however soon they follow a request, and what follows is not read', async (t) => {
    const { dial, failures, ended } = await startServer(t, { over: 'TLS' });
    for (let iterations = 0; iterations < 5; iterations += 1) {
      const { below, accepted, socket } = await dial();
      const { recordsOf } = await connectRecords(below);
      const request = await recordsOf([get]);
      const corrupt = await recordsOf(['x']);
      corrupt.writeUInt8(corrupt.readUInt8(corrupt.length - 1) ^ 1, corrupt.length - 1); // it cannot be decrypted
      below.write(request);
      for (let count = 0; count < iterations; count += 1) await iteration();
      below.write(Buffer.concat([corrupt, Buffer.alloc(4_000_000, corrupt)]));
      await Promise.all([closed(accepted), closed(socket)]);
      assert.ok(accepted.bytesRead < 1_000_000, `${accepted.bytesRead} bytes were read`);
    }
    assert.deepEqual([failures, ended], [[], Array.from({ length: 5 }, () => 'tlsFailed')]);
  });
});
