// All that the server assumes of node beyond what node's documentation says. Each row has a test below with the same words,
// against node itself, which fails when it is no longer so.
//
// A stream that is given to a server of node:http as a connection
//  1. A server that never listens has no time limits of its own.
//  2. `writeHead` and `end` with a string write the whole reply at once as one chunk, and other chunks are empty. When a response has no
//     `socket` any more, and `read(0)` has asked for more, the next request that is pushed gets its response at once, too.
//  3. A stream without `destroySoon` is ended after the last reply, when that has been written.
//  4. `Connection: close` among the fields of a reply makes it the last one, and nothing else does.
//  5. With `keepAliveTimeout: 0` node says nothing of a timeout, and sets none.
//  6. Node sets these properties of a connection and no others, and the class `ResponseStream` defines none of them.
//
// A socket
//  7. When nothing waits behind `write` (`writableLength` is 0), the kernel has taken the bytes; otherwise the callback says so. The
//     callback of a TLSSocket over a stream comes when that stream has written all; or when it is destroyed, perhaps without an error.
//  8. A TLSSocket of a server takes `highWaterMark`: while it is paused, it asks the stream below for nothing.
//  9. A TLSSocket takes `allowHalfOpen` from the stream below.
// 10. Behind the handshake, a TLSSocket that no tls.Server made says that TLS failed by `_tlsError` alone, and does nothing more.
// 11. When a TLSSocket is destroyed, the stream below closes, and the other way round.
// 12. A TLSSocket listens for errors of the stream below.
// 13. `bytesRead` of a TLSSocket counts data, and stays 0 during the handshake.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { TLSSocket, type SecureContext } from 'node:tls';
import { readTlsFiles } from '../../src/host/tls-files.ts';
import { ResponseStream } from '../../src/server/response-stream.ts';
import { makeCertificate, temporaryFolder } from '../support/certificates.ts';
import { connectRecords } from '../support/records.ts';
import { startPair } from '../support/socket-pair.ts';

const GET = 'GET / HTTP/1.1\r\n\r\n';

type Options = ServerOptions & { readonly reply?: (message: IncomingMessage, response: ServerResponse) => void; readonly holds?: boolean };

/** A stream that is a connection of a server that never listens, and what happens to both. */
async function startStream({ reply = (_, response) => response.end(), holds = false, ...options }: Options = {}) {
  const events: string[] = [];
  const chunks: string[] = [];
  const waiting: (() => void)[] = [];
  const stream = new Duplex({
    readableHighWaterMark: 0,
    decodeStrings: false,
    read: () => events.push('read'),
    write: (chunk, _, done) => {
      chunks.push(String(chunk));
      if (holds) waiting.push(done);
      else done();
    },
    final: (done) => {
      events.push('end');
      done();
    },
    destroy: (error, done) => {
      events.push(`destroy ${error?.message ?? 'without an error'}`);
      done(error);
    },
  });
  stream.on('error', () => {});
  const ownBefore = new Set(Reflect.ownKeys(stream));
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 0, ...options }, (message, response) => {
    events.push('request');
    response.on('finish', () => events.push('finish'));
    reply(message, response);
  });
  server.on('clientError', ({ code }: NodeJS.ErrnoException) => events.push(`rejected ${code}`));
  server.emit('connection', stream);
  const ownOfNode = () => Reflect.ownKeys(stream).filter((key) => !ownBefore.has(key));
  await turns();
  return {
    server, stream, chunks, ownOfNode,
    push: (text: string) => stream.push(Buffer.from(text, 'latin1')),
    written: () => chunks.join(''),
    /** Says that the bytes of the first write are written, and then those of the next ones. */
    release: async () => {
      for (let done = waiting.shift(); done !== undefined; done = waiting.shift()) {
        done();
        await turns();
      }
    },
    /** What has happened since the last call, but for reads. */
    newEvents: () => events.splice(0).filter((event) => event !== 'read'),
  };
}

/** Enough for all that is done in this turn of the event loop, and in the next ones. */
async function turns(): Promise<void> {
  for (let i = 0; i < 5; i += 1) await turn();
}

function makeContext(t: TestContext): SecureContext {
  return readTlsFiles(makeCertificate(temporaryFolder(t), 'localhost'), () => {});
}

async function lengthOf(client: Socket): Promise<number> {
  let length = 0;
  for await (const chunk of client) length += chunk.length;
  return length;
}

const limit = { timeout: 20_000 };

describe('a stream that is given to a server of node:http', limit, () => {
  test('1. a server that never listens has no time limits of its own', async () => {
    const hasty = { headersTimeout: 1, requestTimeout: 1, connectionsCheckingInterval: 1 };
    const { newEvents, push } = await startStream(hasty);
    push('GET / HT');
    const listening = createServer(hasty).listen({ port: 0, host: '127.0.0.1' });
    await once(listening, 'listening');
    const address = listening.address();
    if (address === null || typeof address === 'string') throw new Error('Not a TCP address');
    const late = once(listening, 'clientError');
    const client = connect({ port: address.port, host: '127.0.0.1' });
    client.write('GET / HT');
    assert.equal((await late)[0].code, 'ERR_HTTP_REQUEST_TIMEOUT', 'one that listens has limits');
    client.destroy();
    listening.closeAllConnections();
    listening.close();
    assert.deepEqual(newEvents(), []);
  });

  test('2. writeHead and end with a string write the whole reply at once as one chunk, and other chunks are empty', async () => {
    for (const body of ['', 'x', '\u{1F44B}\u00e9', 'x'.repeat(1_000_000)]) {
      let latest: ServerResponse | undefined;
      const { chunks, push, stream } = await startStream({ reply: (_, response) => {
        stream.read(0);
        latest = response.writeHead(200, ['Content-Length', String(Buffer.byteLength(body))]).end(body);
      } });
      for (let count = 1; count <= 3; count += 1) {
        push(GET);
        const replies = chunks.filter((chunk) => chunk !== '');
        assert.equal(replies.length, count);
        assert.match(replies.at(-1) ?? '', /^HTTP\/1\.1 200 OK\r\n/);
        assert.ok(replies.at(-1)?.endsWith(`\r\n\r\n${body}`));
        await turn();
        assert.equal(latest?.socket, null);
      }
    }
  });

  test('3. a stream without destroySoon is ended after the last reply, when that has been written', async () => {
    const { newEvents, push, release, stream } = await startStream({ holds: true, reply: (_, response) => response.writeHead(200, ['Connection', 'close']).end('x') });
    assert.equal('destroySoon' in stream, false);
    push(GET);
    await turns();
    assert.deepEqual(newEvents(), ['request']);
    await release();
    assert.deepEqual(newEvents(), ['end', 'finish']);
    assert.equal(stream.destroyed, false);
  });

  for (const [what, fields, isLast] of [
    ['Connection: close among the fields of a reply', ['Connection', 'close'], true],
    ['no field', [], false],
    ['a status of 500', ['Content-Length', '0'], false],
  ] as const) {
    test(`4. and 5. ${what} makes a reply ${isLast ? 'the last one' : 'one of many'}, and no timeout is named or set`, async () => {
      const { newEvents, push, written, stream } = await startStream({ reply: (_, response) => response.writeHead(500, [...fields]).end() });
      Object.assign(stream, { setTimeout: () => assert.fail('a timeout was set') });
      push(GET);
      await turns();
      assert.deepEqual(newEvents(), ['request', ...(isLast ? ['end'] : []), 'finish']);
      assert.match(written(), isLast ? /\r\nConnection: close\r\n/ : /\r\nConnection: keep-alive\r\n/);
      assert.doesNotMatch(written(), /Keep-Alive:/);
    });
  }

  test('6. node sets these properties of a connection and no others, and our class defines none of them', async (t) => {
    const { push, ownOfNode, stream } = await startStream({ reply: (_, response) => {
      t.after(() => response.end());
    } });
    push(GET);
    await turns();
    const names = ownOfNode().filter((key) => typeof key === 'string');
    assert.deepEqual(names.sort(), ['_httpMessage', '_paused', 'addListener', 'on', 'parser', 'prependListener', 'server', 'setEncoding']);
    const connection = new ResponseStream();
    const ownOfStream = new Set(Reflect.ownKeys(new Duplex()));
    const defined = Reflect.ownKeys(connection).filter((key) => !ownOfStream.has(key));
    for (let prototype: unknown = Object.getPrototypeOf(connection); prototype instanceof Object && prototype !== Duplex.prototype; prototype = Object.getPrototypeOf(prototype)) {
      defined.push(...Reflect.ownKeys(prototype));
    }
    assert.deepEqual(defined.filter((key) => ownOfNode().includes(key)), []);
    for (const name of ['destroySoon', '_handle', 'readyState', 'setTimeout']) assert.equal(name in stream || name in connection, false, `${name} would change what node does`);
  });
});

describe('a socket', limit, () => {
  test('7. when nothing waits behind write, the kernel has taken the bytes; otherwise the callback says so', async (t) => {
    const { client, accepted } = await startPair(t);
    const received = lengthOf(client);
    accepted.write('x'.repeat(1_000));
    accepted.write(Buffer.alloc(1_000));
    assert.equal(accepted.writableLength, 0);
    accepted.destroy(); // what node had kept would be lost
    assert.equal(await received, 2_000);

    const large = await startPair(t);
    large.client.pause();
    const taken = new Promise((resolve) => large.accepted.write(Buffer.alloc(50_000_000), resolve));
    assert.equal(large.accepted.writableLength, 50_000_000);
    const all = lengthOf(large.client);
    await taken;
    assert.equal(large.accepted.writableLength, 0);
    large.accepted.destroy();
    assert.equal(await all, 50_000_000);
  });

  /** A client over TLS, and the server's TLSSocket, over a stream of ours. `hold` keeps what is written back until `release`. */
  async function startTlsPair(t: TestContext, options: { readonly highWaterMark?: number; readonly allowHalfOpen?: boolean } = {}) {
    const { client: below, accepted } = await startPair(t);
    let asked = 0, isHeld = false, release = () => {};
    const stream = new Duplex({
      readableHighWaterMark: 0,
      allowHalfOpen: options.allowHalfOpen ?? true,
      read: () => void (asked += 1),
      write(bytes: Buffer, _, done) {
        accepted.write(bytes);
        if (isHeld) release = done;
        else done();
      },
      final: (done) => void accepted.end(done),
    });
    accepted.on('data', (bytes: Buffer) => stream.push(bytes)).on('end', () => stream.push(null));
    const secured = new TLSSocket(stream, { isServer: true, secureContext: makeContext(t), ...options });
    const errors: unknown[] = [];
    secured.on('error', (error) => errors.push(error));
    const made = connectRecords(below);
    made.catch(() => {});
    return {
      made, below, stream, secured, errors,
      asked: () => asked,
      hold: () => { isHeld = true; },
      release: () => {
        isHeld = false;
        release();
      },
    };
  }

  test('7. over TLS, the callback comes when the stream below has written all', async (t) => {
    const { made, secured, hold, release } = await startTlsPair(t);
    await made;
    let isTaken = false;
    hold();
    secured.write(Buffer.alloc(100_000), () => { isTaken = true; });
    await turns();
    assert.deepEqual([isTaken, secured.writableLength], [false, 100_000]);
    release();
    while (!isTaken) await turn();
    assert.equal(secured.writableLength, 0);
  });

  test('7. or when it is destroyed, perhaps without an error', async (t) => {
    const { made, secured, hold } = await startTlsPair(t);
    await made;
    let wasDestroyed: boolean | undefined;
    hold();
    secured.write('x', () => { wasDestroyed = secured.destroyed; });
    await turns();
    const closed = once(secured, 'close');
    secured.destroy();
    await closed;
    await turns();
    assert.ok(wasDestroyed !== false);
  });

  test('8. a TLSSocket of a server takes highWaterMark: while it is paused, it asks the stream below for nothing', async (t) => {
    const { made, secured, below, asked } = await startTlsPair(t, { highWaterMark: 0 });
    const { recordsOf } = await made;
    assert.equal(secured.readableHighWaterMark, 0);
    secured.once('data', () => secured.pause());
    below.write(await recordsOf('abc'));
    while (secured.readableLength < 2) await turn();
    await turns();
    const before = asked();
    below.write(await recordsOf('d'));
    await turns();
    assert.equal(asked(), before);
    let received = '';
    secured.on('data', (bytes: Buffer) => (received += String(bytes))).resume();
    while (received !== 'bcd') await turn();
    assert.ok(asked() > before);
  });

  test('9. a TLSSocket takes allowHalfOpen from the stream below', async (t) => {
    const { made, secured } = await startTlsPair(t);
    const { client } = await made;
    assert.equal(secured.allowHalfOpen, true);
    client.end('x');
    secured.resume();
    await once(secured, 'end');
    assert.equal(secured.writableEnded, false);
    secured.end('still here');
    assert.equal(await lengthOf(client), 10);
    const other = await startTlsPair(t, { allowHalfOpen: false });
    assert.equal(other.secured.allowHalfOpen, false);
  });

  test('10. behind the handshake, a TLSSocket that no tls.Server made says that TLS failed by _tlsError alone, and does nothing more', async (t) => {
    const { made, secured, below, errors } = await startTlsPair(t);
    const { recordsOf } = await made;
    const record = await recordsOf(['x']);
    record.writeUInt8(record.readUInt8(record.length - 1) ^ 1, record.length - 1);
    const failed = once(secured.resume(), '_tlsError');
    below.write(record);
    assert.equal((await failed)[0].code, 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC');
    await turns();
    assert.deepEqual([errors, secured.destroyed, secured.errored], [[], false, null]);
  });

  test('11. when a TLSSocket is destroyed, the stream below closes, and the other way round', async (t) => {
    for (const isOver of [false, true]) {
      for (const which of ['secured', 'stream'] as const) {
        const pair = await startTlsPair(t);
        if (isOver) await pair.made;
        const closed = Promise.all([pair.secured, pair.stream].map((stream) => new Promise((resolve) => stream.once('close', resolve))));
        pair[which].destroy();
        await closed;
        pair.below.destroy();
      }
    }
  });

  test('12. a TLSSocket listens for errors of the stream below', async (t) => {
    for (const isOver of [false, true]) {
      const { made, stream, below } = await startTlsPair(t);
      if (isOver) await made;
      assert.ok(stream.listenerCount('error') > 0);
      const closed = new Promise((resolve) => stream.once('close', resolve));
      stream.destroy(new Error('It failed.'));
      await closed;
      await turns();
      below.destroy();
    }
  });

  test('13. bytesRead of a TLSSocket counts data, and stays 0 during the handshake', async (t) => {
    const { made, secured } = await startTlsPair(t);
    const { client } = await made;
    await turns();
    assert.equal(secured.bytesRead, 0);
    client.write('abc');
    await once(secured, 'data');
    assert.equal(secured.bytesRead, 3);
  });
});
