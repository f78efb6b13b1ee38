// All that src/turns assumes of Node beyond its documentation: the title of each test is an assumption, and is tried
// against Node itself.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer } from 'node:net';
import { Duplex } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { calm, closed, iterations, listenOnPort, startPair, until } from '../support/sockets.ts';
import { start, startEnds, TRANSPORTS } from './start.ts';

const limit = { timeout: 60_000 };
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const CHUNKED = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
const post = (length: number) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;

/** A server of node:http, and a connection of it which is a Duplex. What happens is noted. */
async function startHttp() {
  const exchanges: { readonly request: IncomingMessage; readonly response: ServerResponse }[] = [];
  const server = http.createServer((request, response) => exchanges.push({ request, response }));
  const failed = once(server, 'clientError');
  let written = '';
  const write = (chunk: unknown, _: unknown, done: () => void) => {
    written += String(chunk);
    done();
  };
  const duplex = new Duplex({ read() {}, write });
  const own = new Set<string>(); // what Node asks for, or sets, that a Duplex does not have
  const plain = new Duplex();
  const connection = new Proxy(Object.assign(duplex, { setTimeout: () => duplex }), {
    get(target, name) {
      if (!(name in plain)) own.add(String(name));
      return Reflect.get(target, name);
    },
  });
  server.emit('connection', connection);
  await iteration();
  return { exchanges, connection, own, failed, written: () => written };
}

describe('a connection of node:http which is a Duplex:', limit, () => {
  test('all that Node asks of it is what a Duplex has, `setTimeout`, and whether it has any of six more', async () => {
    const asked = new Set<string>();
    for (const bytes of [GET, GET.replace('/1.1', '/1.0'), post(1), 'BAD\r\n\r\n', GET.replace('GET', 'CONNECT')]) {
      const { connection, exchanges, own } = await startHttp();
      connection.push(bytes);
      exchanges[0]?.response.end('hello');
      await iterations();
      connection.emit('timeout');
      connection.destroy();
      await closed(connection);
      for (const name of own) asked.add(name);
    }
    assert.deepEqual([...asked].sort(),
      ['_final', '_hadError', '_handle', '_httpMessage', '_paused', 'destroySoon', 'parser', 'server', 'setTimeout']);
  });

  test('what is pushed is parsed at once: `request` comes in it, and the last byte makes it `complete`', async () => {
    const { connection, exchanges } = await startHttp();
    for (const [bytes, isComplete] of [[post(3), false], ['ab', false], ['c', true]] as const) {
      connection.push(bytes);
      assert.equal(exchanges[0]?.request.complete, isComplete);
    }
  });

  test('a response closes when Node has let go of it: another request may be pushed and answered', async () => {
    const { connection, exchanges, written } = await startHttp();
    connection.push(GET);
    exchanges[0]?.response.on('close', () => {
      connection.push(GET);
      exchanges[1]?.response.end('second');
    });
    exchanges[0]?.response.end('first');
    await until(() => /first.*second$/s.test(written()));
  });

  test('after the last reply, Node calls `end` where `destroySoon` is absent, and closes nothing', async () => {
    const { connection, exchanges } = await startHttp();
    connection.push(GET.replace('/1.1', '/1.0'));
    exchanges[0]?.response.end();
    await once(connection, 'finish');
    await iterations();
    assert.equal(connection.destroyed, false);
  });

  test('Node pauses it while content is not read; after `resume`, it is taken by the next tick', async () => {
    const { connection, exchanges } = await startHttp();
    connection.push(post(200_000));
    for (let i = 0; i < 2; i += 1) connection.push(Buffer.alloc(connection.readableHighWaterMark));
    assert.equal(connection.readableLength, connection.readableHighWaterMark);
    let left: number | undefined;
    const { resume } = connection;
    connection.resume = () => {
      resume.call(connection);
      process.nextTick(() => (left = connection.readableLength));
      return connection;
    };
    exchanges[0]?.request.resume();
    await iterations();
    assert.equal(left, 0);
  });

  test('at its end, Node drops what it has not answered', async () => {
    const { connection, exchanges, written } = await startHttp();
    connection.push(GET);
    connection.push(null);
    await once(connection, 'close');
    exchanges[0]?.response.end('late');
    await iterations();
    assert.equal(written(), '');
  });

  test('what follows a request with `Upgrade` in one push is thrown away', async () => {
    const { connection, exchanges } = await startHttp();
    connection.push(GET.replace('Host', 'Connection: upgrade\r\nUpgrade: x\r\nHost') + GET);
    exchanges[0]?.response.end();
    await iterations();
    assert.equal(exchanges.length, 1);
    connection.push(GET);
    assert.equal(exchanges.length, 2);
  });

  test('heads and chunks end with CR LF CR LF only', async () => {
    const heads = ['\n\n', '\r\n\n', '\n\r\n', '\r\r\n'].map((end) => GET.replace('\r\n\r\n', end));
    const chunks = ['0\n\r\n', '0\r\n\n', '0\n\n', '1\r\nx\n0\r\n\r\n', '0\r\nT: u\n\r\n', '0\r\nT: u\r\n\n'];
    for (const bytes of [GET.replaceAll('\r\n', '\n'), ...heads, ...chunks.map((end) => CHUNKED + end)]) {
      const { connection, failed, exchanges } = await startHttp();
      connection.push(bytes);
      const [{ code }] = await failed;
      assert.match(code, /^HPE_/, bytes);
      assert.notEqual(exchanges[0]?.request.complete, true, bytes);
    }
  });
});

test('time limits of node:http begin when `listening` is emitted, and go on until `close`', limit, async (t) => {
  const codes: unknown[] = [];
  const begin = (act: (server: http.Server) => unknown) => {
    const server = http.createServer({ headersTimeout: 20, requestTimeout: 20, connectionsCheckingInterval: 10 });
    act(server);
    const duplex = Object.assign(new Duplex({ read() {} }), { setTimeout() {} });
    server.on('clientError', ({ code }: NodeJS.ErrnoException) => codes.push(code)).emit('connection', duplex);
    duplex.push('GET');
    t.after(() => server.close());
  };
  begin(() => {});
  begin((server) => server.emit('listening') && server.close());
  for (let i = 1; i <= 3; i += 1) { // those before wait for longer
    begin((server) => server.emit('listening'));
    await until(() => codes.length > 0);
    assert.deepEqual(codes.splice(0), ['ERR_HTTP_REQUEST_TIMEOUT']);
  }
});

test('of the connections that wait in the kernel, one is accepted in each iteration', limit, async (t) => {
  let accepted = 0;
  const listener = createServer((socket) => {
    accepted += 1;
    socket.destroy();
  });
  const port = await listenOnPort(listener);
  t.after(() => listener.close());
  for (let i = 0; i < 50; i += 1) connect({ port, host: '127.0.0.1' }).on('error', () => {}).unref();
  await iteration();
  for (let before = accepted - 1; accepted < 50; await iteration()) {
    assert.equal(accepted, before + 1);
    before = accepted;
  }
});

test('if nothing waits after `write` (`writableLength` is 0), the kernel has it; if not, the callback says when', limit,
  async (t) => {
    for (const [size, waiting] of [[1_000, 0], [50_000_000, 50_000_000]] as const) {
      const { client, accepted } = await startPair(t);
      client.pause();
      const taken = new Promise((resolve) => accepted.write(Buffer.alloc(size), resolve));
      assert.equal(accepted.writableLength, waiting);
      const received = buffer(client);
      if (waiting > 0) await taken;
      assert.equal(accepted.writableLength, 0);
      accepted.destroy(); // what Node had kept would be lost
      assert.equal((await received).length, size);
    }
  });

test('a socket whose write fails is `errored` at once', limit, async (t) => {
  const { client, accepted } = await startPair(t);
  client.resetAndDestroy();
  accepted.write('x');
  assert.notEqual(accepted.errored, null);
});

test('a socket emits no `timeout` while the kernel takes some of a write, and otherwise does', limit, async (t) => {
  const { client, accepted } = await startPair(t);
  let isSteady = false;
  for (let tries = 0; tries < 20 && !isSteady; tries += 1) { // a pause of this machine may look like one of the client
    accepted.write(Buffer.alloc(50_000_000));
    client.pause();
    await once(accepted.setTimeout(50), 'timeout');
    const before = client.bytesRead;
    const end = performance.now() + 300;
    let timeouts = 0;
    const count = () => (timeouts += 1);
    accepted.setTimeout(50).on('timeout', count);
    while (performance.now() < end && client.bytesRead < before + 40_000_000) {
      client.read();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    accepted.off('timeout', count);
    isSteady = timeouts === 0 && performance.now() >= end;
  }
  assert.ok(isSteady);
});

for (const over of TRANSPORTS) {
  test(`over ${over}, an \`unshift\` of the high-water mark inside \`data\` stops the next read`, limit, async (t) => {
    const { client, accepted, raw } = await startEnds(t, over);
    const reads: number[] = [];
    accepted.once('data', () => {
      accepted.pause();
      accepted.unshift(Buffer.alloc(accepted.readableHighWaterMark));
      reads.push(raw.bytesRead);
    });
    client.write('x'.repeat(1_000_000));
    await calm(t, () => raw.bytesRead);
    assert.deepEqual(reads, [raw.bytesRead]);
  });
}

describe('over TLS:', limit, () => {
  test('both sockets have the same addresses; `bytesRead` is 0 until something has arrived to decrypt, or is decrypted',
    async (t) => {
      const { dial, open } = await start(t, () => {}, 'TLS');
      const { raw: silent } = await dial();
      const { client, raw, accepted } = await open();
      assert.ok(raw.bytesRead > 0);
      assert.deepEqual([silent.bytesRead, accepted.bytesRead], [0, 0]);
      for (const name of ['remoteAddress', 'remotePort', 'localAddress', 'localPort'] as const) {
        assert.equal(accepted[name], raw[name]);
      }
      client.write('x');
      await until(() => accepted.bytesRead === 1);
    });

  test('when one of the sockets is destroyed, the other closes', async (t) => {
    for (const which of ['accepted', 'raw'] as const) {
      const ends = await startEnds(t, 'TLS');
      ends[which].destroy();
      await Promise.all([closed(ends.accepted), closed(ends.raw)]);
    }
  });

  test('`allowHalfOpen` may be set on the decrypted socket until its client ends', async (t) => {
    const { client, accepted } = await startEnds(t, 'TLS');
    accepted.allowHalfOpen = true;
    client.end();
    await once(accepted.resume(), 'end');
    await iterations();
    assert.equal(accepted.writableEnded, false);
    accepted.end('still here');
    assert.equal(await text(client), 'still here');
  });

  test('a decrypted socket stays open after `error`', async (t) => {
    const { below, accepted } = await startEnds(t, 'TLS');
    below.write(Buffer.concat([Buffer.of(0x17, 3, 3, 0, 32), Buffer.alloc(32)])); // a record that nobody has encrypted
    const [error] = await once(accepted.resume(), 'error');
    assert.equal(error.code, 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC');
    await iterations();
    assert.equal(accepted.destroyed, false);
  });
});
