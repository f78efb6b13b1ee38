// All that the server assumes of node beyond what node's documentation says. Each row has a test below with the same words,
// against node itself, which fails when it is no longer so.
//
// A stream that is given to a server of node:http as a connection
//  1. A server that never listens has no time limits of its own.
//  2. A piece that is pushed while the stream flows has been parsed when `push` returns, with the events of its head.
//  3. A message is complete when the piece with its last byte has been pushed, and it ends later.
//  4. When a piece has been parsed, node asks for the next one (`_read`).
//  5. `writeHead` and `end` with a string write the whole reply as one chunk, and other chunks are empty.
//  6. A stream without `destroySoon` is ended after the last reply, when that has been written.
//  7. `Connection: close` among the fields of a reply makes it the last one, and nothing else does on a request that says nothing.
//  8. A request that says close, or is HTTP/1.0 without keep-alive, makes node say close and end the stream.
//  9. With `keepAliveTimeout: 0` node says nothing of a timeout, and sets none.
// 10. After Connection or Proxy-Connection: close in the trailers, node's parser rejects what follows.
// 11. At CONNECT node takes off its listeners, that for errors, too, and parses nothing more.
// 12. After PRI without a version, which is a request of HTTP/0.9 for node, it destroys the stream without an error.
// 13. The codes of the parser's errors for methods that it does not know, for the preface of HTTP/2, and for a head that is too long.
// 14. Behind an error of the parser, node neither writes nor ends nor destroys when there is a listener for it.
// 15. With `maxHeadersCount`, node keeps hardly more lines of a head than that, or rejects it.
// 16. Node sets these properties of a connection and no others, and the class `Connection` defines none of them.
// 17. Node reads `headers` of a request only to look for content-length, transfer-encoding and expect, and reads it where a class
//     over IncomingMessage defines it.
//
// A socket
// 18. When nothing waits behind `write` (`writableLength` is 0), the system has taken the bytes; otherwise the callback says so.
// 19. A TLSSocket of a server takes `highWaterMark`: while it is paused, it keeps a few records of one byte, not thousands.
// 20. A TLSSocket takes `allowHalfOpen` from the socket below.
// 21. `getPeerFinished()` of a TLSSocket of a server is undefined until the handshake is over.
// 22. When a TLSSocket is destroyed, the socket below closes, and the other way round.
// 23. A TLSSocket listens for errors of the socket below.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectTls, TLSSocket, type SecureContext } from 'node:tls';
import { readTlsFiles } from '../../src/host/tls-files.ts';
import { Connection } from '../../src/server/connection.ts';
import { makeCertificate, temporaryFolder } from '../support/certificates.ts';
import { startPair } from '../support/socket-pair.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n';
const CHUNKED = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';

type Options = ServerOptions & { readonly reply?: (message: IncomingMessage, response: ServerResponse) => void; readonly holds?: boolean; readonly maxHeadersCount?: number };

/** A stream that is a connection of a server that never listens, and what happens to both. */
async function startStream({ reply = (_, response) => response.end(), holds = false, maxHeadersCount, ...options }: Options = {}) {
  const events: string[] = [];
  const requests: IncomingMessage[] = [];
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
    requests.push(message);
    response.on('finish', () => events.push('finish'));
    reply(message, response);
  });
  if (maxHeadersCount !== undefined) server.maxHeadersCount = maxHeadersCount;
  server.on('connect', () => events.push('connect'));
  server.on('clientError', ({ code }: NodeJS.ErrnoException) => events.push(`rejected ${code}`));
  server.emit('connection', stream);
  const ownOfNode = () => Reflect.ownKeys(stream).filter((key) => !ownBefore.has(key));
  await turns();
  return {
    server, stream, events, requests, chunks, ownOfNode,
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

  test('2. a piece that is pushed while the stream flows has been parsed when push returns', async () => {
    const { newEvents, push, requests, stream } = await startStream();
    push(GET);
    assert.deepEqual(newEvents(), ['request']);
    assert.equal(requests[0]?.socket, stream);
    await turns();
    assert.deepEqual(newEvents(), ['finish']);
    push(POST);
    assert.deepEqual(newEvents(), ['request']);
    for (const [bytes, events] of [['CONNECT a HTTP/1.1\r\n\r\n', ['connect']], ['junk', ['rejected HPE_INVALID_METHOD']]] as const) {
      const other = await startStream();
      other.push(bytes);
      assert.deepEqual(other.newEvents(), events);
    }
  });

  test('3. a message is complete when the piece with its last byte has been pushed, and it ends later', async () => {
    for (const [head, content] of [['', GET], [POST, 'abc'], [CHUNKED, '3\r\nabc\r\n0\r\n\r\n'], [CHUNKED, '0\r\nX: y\r\n\r\n']] as const) {
      const { requests, push, newEvents, events } = await startStream({ reply: (message) => {
        message.resume().on('end', () => events.push('end of the message'));
      } });
      if (head !== '') push(head);
      await turns();
      newEvents();
      if (head !== '') {
        push(content.slice(0, -1));
        assert.equal(requests[0]?.complete, false);
        await turns();
        push(content.slice(-1));
      } else push(content);
      assert.equal(requests[0]?.complete, true);
      assert.ok(!newEvents().includes('end of the message'));
      await turns();
      assert.deepEqual(newEvents(), ['end of the message']);
    }
  });

  test('4. when a piece has been parsed, node asks for the next one', async () => {
    const { events, push } = await startStream({ reply: (message, response) => {
      message.resume().on('end', () => response.end());
    } });
    for (const piece of [GET, POST, 'abc', 'GE', 'T / HTTP/1.1\r\n\r\n', CHUNKED, '3\r\nabc\r\n', '0\r\n\r\n']) {
      events.length = 0;
      push(piece);
      await turns();
      assert.ok(events.includes('read'), JSON.stringify(piece));
    }
  });

  test('5. writeHead and end with a string write the whole reply as one chunk, and other chunks are empty', async () => {
    for (const [body, length] of [['', '0'], ['x', '1'], ['\u{1F44B}\u00e9', '6']] as const) {
      const { chunks, push, written } = await startStream({ reply: (_, response) => response.writeHead(200, ['Content-Length', length]).end(body) });
      push(GET);
      await turns();
      assert.match(written(), /^HTTP\/1\.1 200 OK\r\n/);
      assert.ok(written().endsWith(`\r\n\r\n${body}`));
      assert.deepEqual(chunks.filter((chunk) => chunk !== ''), [written()]);
    }
  });

  test('6. a stream without destroySoon is ended after the last reply, when that has been written', async () => {
    const { newEvents, push, release, stream } = await startStream({ holds: true, reply: (_, response) => response.writeHead(200, ['Connection', 'close']).end('x') });
    assert.equal('destroySoon' in stream, false);
    push(GET);
    await turns();
    assert.deepEqual(newEvents(), ['request']);
    await release();
    assert.deepEqual(newEvents(), ['end', 'finish']);
    assert.equal(stream.destroyed, false);
  });

  for (const [what, fields, request, isLast] of [
    ['Connection: close among the fields of a reply', ['Connection', 'close'], GET, true],
    ['no field, on a request that says nothing,', [], GET, false],
    ['a status of 500', ['Content-Length', '0'], GET, false],
    ['Connection: close of the request', [], 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', true],
    ['Proxy-Connection: close of the request', [], 'GET / HTTP/1.1\r\nProxy-Connection: close\r\n\r\n', true],
    ['HTTP/1.0', [], 'GET / HTTP/1.0\r\n\r\n', true],
    ['HTTP/1.0 with keep-alive', ['Content-Length', '0'], 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', false],
  ] as const) {
    test(`7. to 9. ${what} makes a reply ${isLast ? 'the last one' : 'one of many'}, and no timeout is named or set`, async () => {
      const { newEvents, push, written, stream } = await startStream({ reply: (_, response) => response.writeHead(500, [...fields]).end() });
      Object.assign(stream, { setTimeout: () => assert.fail('a timeout was set') });
      push(request);
      await turns();
      assert.deepEqual(newEvents(), ['request', ...(isLast ? ['end'] : []), 'finish']);
      assert.match(written(), isLast ? /\r\nConnection: close\r\n/ : /\r\nConnection: keep-alive\r\n/);
      assert.doesNotMatch(written(), /Keep-Alive:/);
    });
  }

  for (const [field, isObeyed] of [['Connection: close', true], ['Proxy-Connection: close', true], ['Connection: keep-alive', false], ['X: close', false]] as const) {
    test(`10. after ${field} in the trailers, node's parser ${isObeyed ? 'rejects what follows' : 'goes on'}`, async () => {
      const { newEvents, push, written } = await startStream();
      push(CHUNKED);
      await turns();
      push(`0\r\n${field}\r\n\r\n`);
      await turns();
      assert.deepEqual([newEvents(), written().includes('\r\nConnection: keep-alive\r\n')], [['request', 'finish'], true]);
      push(GET);
      assert.deepEqual(newEvents(), [isObeyed ? 'rejected HPE_CLOSED_CONNECTION' : 'request']);
    });
  }

  test('11. at CONNECT node takes off its listeners, that for errors, too, and parses nothing more', async () => {
    for (const content of ['', 'Content-Length: 3\r\n', 'Transfer-Encoding: chunked\r\n']) {
      const { newEvents, push, stream } = await startStream();
      const errorListeners = stream.listenerCount('error');
      push(`CONNECT a:80 HTTP/1.1\r\n${content}\r\n`);
      assert.deepEqual([newEvents(), stream.listenerCount('error')], [['connect'], errorListeners - 1]);
      for (const event of ['data', 'end', 'close', 'drain', 'timeout']) assert.equal(stream.listenerCount(event), 0, event);
      stream.resume();
      push(`abc${GET}`);
      await turns();
      assert.deepEqual(newEvents(), []);
    }
  });

  test('12. after PRI without a version node destroys the stream without an error', async () => {
    const { newEvents, push, requests } = await startStream({ reply: () => {} });
    push('PRI /a\r\n\r\n');
    assert.deepEqual([newEvents(), requests[0]?.method, requests[0]?.httpVersion], [['request', 'destroy without an error'], 'PRI', '0.9']);
  });

  for (const [bytes, code] of [
    ['BREW / HTTP/1.1\r\n\r\n', 'HPE_INVALID_METHOD'],
    ['get / HTTP/1.1\r\n\r\n', 'HPE_INVALID_METHOD'],
    ['PRINT / HTTP/1.1\r\n\r\n', 'HPE_INVALID_METHOD'],
    ...['ANNOUNCE', 'DESCRIBE', 'FLUSH', 'GET_PARAMETER', 'PAUSE', 'PLAY', 'RECORD', 'REDIRECT', 'SETUP', 'SET_PARAMETER', 'TEARDOWN'].map((method) =>
      [`${method} / HTTP/1.1\r\n\r\n`, 'HPE_INVALID_CONSTANT'] as const),
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'HPE_PAUSED_H2_UPGRADE'],
    ['PRI * HTTP/2.0\r\nHost: a\r\n\r\n', 'HPE_INVALID_VERSION'],
    [`GET / HTTP/1.1\r\nX: ${'x'.repeat(16_384)}\r\n\r\n`, 'HPE_HEADER_OVERFLOW'],
    [`GET /${'x'.repeat(16_384)} HTTP/1.1\r\n\r\n`, 'HPE_HEADER_OVERFLOW'],
    ['GET / HTTP/1.2\r\n\r\n', 'HPE_INVALID_VERSION'],
  ] as const) {
    test(`13. and 14. ${JSON.stringify(bytes.slice(0, 40))} is rejected with ${code}, and node does nothing more`, async () => {
      const { newEvents, push, written, stream } = await startStream({ maxHeaderSize: 16_384 });
      push(bytes);
      await turns();
      assert.deepEqual([newEvents(), written(), stream.destroyed], [[`rejected ${code}`], '', false]);
    });
  }

  test('15. with maxHeadersCount, node keeps hardly more lines of a head than that, or rejects it', async () => {
    for (const lines of [100, 101, 102, 5_000]) {
      const { requests, push, newEvents } = await startStream({ maxHeadersCount: 101 });
      push(`GET / HTTP/1.1\r\n${'ab:\r\n'.repeat(lines)}\r\n`);
      const kept = (requests[0]?.rawHeaders.length ?? 0) / 2;
      if (lines <= 101) assert.equal(kept, lines);
      else if (kept === 0) assert.deepEqual(newEvents(), ['rejected HPE_HEADER_OVERFLOW']);
      else assert.ok(kept > 100 && kept < 150, `${kept} lines are kept`);
    }
  });

  test('16. node sets these properties of a connection and no others, and our class defines none of them', async (t) => {
    const { push, ownOfNode, stream } = await startStream({ reply: (_, response) => {
      t.after(() => response.end());
    } });
    push(CHUNKED);
    await turns();
    const names = ownOfNode().filter((key) => typeof key === 'string');
    assert.deepEqual(names.sort(), ['_httpMessage', '_paused', 'addListener', 'on', 'parser', 'prependListener', 'server', 'setEncoding']);
    const connection = new Connection(new Socket(), () => {});
    const ownOfStream = new Set(Reflect.ownKeys(new Duplex()));
    const defined = Reflect.ownKeys(connection).filter((key) => !ownOfStream.has(key));
    for (let prototype: unknown = Object.getPrototypeOf(connection); prototype instanceof Object && prototype !== Duplex.prototype; prototype = Object.getPrototypeOf(prototype)) {
      defined.push(...Reflect.ownKeys(prototype));
    }
    assert.deepEqual(defined.filter((key) => ownOfNode().includes(key)), []);
    for (const name of ['destroySoon', '_handle', 'readyState', 'setTimeout']) assert.equal(name in stream || name in connection, false, `${name} would change what node does`);
  });

  test('17. node reads headers only to look for three fields, and where a class defines it', async () => {
    const names = new Set<string | symbol>();
    const headers = new Proxy({}, {
      get: (_, name) => void names.add(name),
      has: (_, name) => Boolean(names.add(name)) && false,
    });
    class Message extends IncomingMessage {}
    Object.defineProperty(Message.prototype, 'headers', { get: () => headers });
    const { push, written, newEvents } = await startStream({ IncomingMessage: Message, optimizeEmptyRequests: true });
    push('GET / HTTP/1.1\r\nHost: a\r\nAccept: b\r\nCookie: c=d\r\nConnection: keep-alive\r\nKeep-Alive: 5\r\nRange: bytes=0-1\r\n\r\n');
    await turns();
    assert.deepEqual(newEvents(), ['request', 'finish']);
    assert.match(written(), /^HTTP\/1\.1 200 OK\r\n/);
    assert.ok(names.has('expect'));
    assert.deepEqual(Array.from(names).filter((name) => !['content-length', 'transfer-encoding', 'expect'].includes(String(name))), []);
  });
});

describe('a socket', limit, () => {
  test('18. when nothing waits behind write, the system has taken the bytes; otherwise the callback says so', async (t) => {
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

  /** A client over TLS, and both sockets of the server. */
  async function startTlsPair(t: TestContext, options: { readonly highWaterMark?: number } = {}) {
    const { client: below, accepted } = await startPair(t);
    const secured = new TLSSocket(accepted, { isServer: true, secureContext: makeContext(t), ...options }).on('error', () => {});
    const client = connectTls({ socket: below, rejectUnauthorized: false }).on('error', () => {});
    return { client, below, accepted, secured };
  }

  test('18. also over TLS', async (t) => {
    const { client, accepted, secured } = await startTlsPair(t);
    await once(client, 'secureConnect');
    client.write('x');
    await once(secured, 'data');
    client.pause();
    const taken = new Promise((resolve) => secured.write(Buffer.alloc(50_000_000), resolve));
    await turns();
    assert.ok(secured.writableLength > 0);
    const received = lengthOf(client);
    await taken;
    assert.equal(secured.writableLength, 0);
    accepted.destroy();
    assert.equal(await received, 50_000_000);
  });

  test('19. a TLSSocket of a server takes highWaterMark: while it is paused, it keeps a few records of one byte', async (t) => {
    const { client, secured, accepted } = await startTlsPair(t, { highWaterMark: 1 });
    assert.equal(secured.readableHighWaterMark, 1);
    await once(client, 'secureConnect');
    client.write('x');
    await once(secured, 'data');
    secured.pause();
    let still = 0;
    for (let sent = 0; sent < 5_000; sent += 1) await new Promise((resolve) => client.write('x', resolve));
    for (let before = -1; still < 50; still += 1) {
      if (accepted.bytesRead !== before) still = 0;
      before = accepted.bytesRead;
      await turn();
    }
    assert.ok(secured.readableLength < 100, `${secured.readableLength} bytes are kept`);
    let received = 1;
    secured.on('data', (chunk: Buffer) => (received += chunk.length)).resume();
    while (received < 5_001) await once(secured, 'data');
  });

  test('20. a TLSSocket takes allowHalfOpen from the socket below', async (t) => {
    const { client, secured } = await startTlsPair(t);
    assert.equal(secured.allowHalfOpen, true);
    client.end('x');
    secured.resume();
    await once(secured, 'end');
    assert.equal(secured.writableEnded, false);
    secured.end('still here');
    assert.equal(await lengthOf(client), 10);
    const { accepted } = await startPair(t, { allowHalfOpen: false });
    assert.equal(new TLSSocket(accepted, { isServer: true, secureContext: makeContext(t) }).allowHalfOpen, false);
  });

  test('21. getPeerFinished() of a TLSSocket of a server is undefined until the handshake is over', async (t) => {
    const { client, secured } = await startTlsPair(t);
    assert.equal(secured.getPeerFinished(), undefined);
    client.write('x');
    await once(secured, 'data');
    assert.ok(secured.getPeerFinished() instanceof Buffer);
  });

  test('22. when a TLSSocket is destroyed, the socket below closes, and the other way round', async (t) => {
    for (const isOver of [false, true]) {
      for (const which of ['secured', 'accepted'] as const) {
        const pair = await startTlsPair(t);
        if (isOver) {
          pair.client.write('x');
          await once(pair.secured, 'data');
        }
        const closed = Promise.all([pair.secured, pair.accepted].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
        pair[which].destroy();
        await closed;
      }
    }
  });

  test('23. a TLSSocket listens for errors of the socket below', async (t) => {
    const { accepted } = await startPair(t, { allowHalfOpen: true });
    const before = accepted.listenerCount('error');
    new TLSSocket(accepted, { isServer: true, secureContext: makeContext(t) }).on('error', () => {});
    assert.equal(accepted.listenerCount('error'), before + 1);
    const closed = new Promise((resolve) => accepted.once('close', resolve));
    accepted.destroy(new Error('It failed.'));
    await closed;
  });
});
