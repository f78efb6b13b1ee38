// All that src/turns assumes of Node beyond its documentation: each test tries its title against Node itself.
import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { createTls } from '../../src/turns/handshake.ts';
import { temporaryFolder, tlsOptions } from '../support/certificates.ts';
import { get, GET, LAST } from '../support/exchange.ts';
import { keyUpdates } from '../support/key-updates.ts';
import { calm, closed, iterations, listenOnPort, NO_UNIX, startPair, until } from '../support/sockets.ts';
import { beginTls, FORGED, startEnds, testOver, upload } from './start.ts';

/** A server of node:http, and a connection of it which is a Duplex. What happens is noted. */
async function startHttp() {
  const exchanges: { readonly request: IncomingMessage; readonly response: ServerResponse }[] = [];
  const server = http.createServer((request, response) => exchanges.push({ request, response }));
  const duplex = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
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
  function push(bytes: string) {
    connection.push(bytes);
    return exchanges.at(-1) ?? assert.fail();
  }
  return { server, connection, exchanges, push, own };
}

const assumptions: Readonly<Record<string, (node: Awaited<ReturnType<typeof startHttp>>) => void | Promise<void>>> = {
  'what is pushed is parsed at once: `request` comes in it, and the last byte makes it `complete`': ({ push }) => {
    for (const [bytes, isComplete] of [[upload(3), false], ['ab', false], ['c', true]] as const) {
      assert.equal(push(bytes).request.complete, isComplete);
    }
  },
  'a response closes when Node has let go of it: another request may be pushed and answered': async ({ push }) => {
    const { response } = push(GET);
    response.end('first');
    await new Promise<void>((resolve) => {
      response.on('close', () => push(GET).response.end('second', resolve));
    });
  },
  'Node pauses it while content is not read, and takes the rest when it is': async ({ connection, push }) => {
    const { request } = push(upload(200_000));
    for (let i = 0; i < 2; i += 1) connection.push(Buffer.alloc(connection.readableHighWaterMark));
    assert.equal(connection.readableLength, connection.readableHighWaterMark);
    request.resume();
    await iterations();
    assert.equal(connection.readableLength, 0);
  },
  'at its end, Node closes it, and so drops what it has not answered': async ({ connection, push }) => {
    push(GET);
    connection.push(null);
    await once(connection, 'close');
  },
};
for (const [title, act] of Object.entries(assumptions)) test(title, async () => act(await startHttp()));

test('all that Node asks of it is what a Duplex has, `setTimeout`, and whether it has any of six more', async () => {
  const asked = new Set<string>();
  for (const bytes of [GET, LAST, upload(1), 'BAD\r\n\r\n', GET.replace('GET', 'CONNECT')]) {
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

test('heads and chunks end with LF CR LF only', async () => {
  const heads = ['\n\n', '\r\n\n', '\r\r\n'].map((end) => GET.replace('\r\n\r\n', end));
  const CHUNKED = get('/', 'Transfer-Encoding: chunked');
  const chunks = ['0\r\n\n', '0\n\n', '1\r\nx\n0\r\n\r\n', '0\r\nT: u\r\n\n'];
  for (const bytes of [GET.replaceAll('\r\n', '\n'), ...heads, ...chunks.map((end) => CHUNKED + end)]) {
    const { server, connection, exchanges } = await startHttp();
    const failed = once(server, 'clientError');
    connection.push(bytes);
    const [{ code }] = await failed;
    assert.match(code, /^HPE_/, bytes);
    assert.notEqual(exchanges[0]?.request.complete, true, bytes);
  }
});

test('time limits of node:http begin when `listening` is emitted, and go on until `close`', async (t) => {
  const codes: unknown[] = [];
  const begin = (act: (server: http.Server) => unknown) => {
    const server = http.createServer({ headersTimeout: 20, requestTimeout: 20, connectionsCheckingInterval: 10 });
    const duplex = Object.assign(new Duplex({ read() {} }), { setTimeout() {} });
    act(server);
    server.on('clientError', ({ code }: NodeJS.ErrnoException) => codes.push(code)).emit('connection', duplex);
    duplex.push('GET');
    t.after(() => server.close());
  };
  begin(() => {});
  begin((server) => server.emit('listening') && server.close());
  begin((server) => server.emit('listening')); // those before have waited for longer
  await until(() => codes.length > 0);
  assert.deepEqual(codes, ['ERR_HTTP_REQUEST_TIMEOUT']);
});

test('`worker.disconnect()` calls `close` of a server, and waits until that calls back', async (t) => {
  const exec = join(temporaryFolder(t), 'worker.cjs');
  writeFileSync(exec, `
    const server = require('node:net').createServer();
    const { close } = server;
    server.close = (callback) => process.send('close', () => close.call(server, callback));
    server.listen(0, '127.0.0.1', () => process.send('listening'));
  `);
  cluster.setupPrimary({ exec, args: [], execArgv: [] });
  const worker = cluster.fork();
  t.after(() => worker.kill('SIGKILL'));
  const messages: unknown[] = [];
  worker.on('message', (message) => messages.push(message));
  await once(worker, 'message');
  worker.disconnect();
  await once(worker, 'exit');
  assert.deepEqual(messages, ['listening', 'close']);
});

test('of connections in the kernel, one is accepted in each iteration', { skip: NO_UNIX }, async (t) => {
  const accept = t.mock.fn((socket: Socket) => socket.destroy());
  const listener = createServer(accept);
  const port = await listenOnPort(listener);
  t.after(() => listener.close());
  for (let i = 0; i < 50; i += 1) connect({ port, host: '127.0.0.1' }).on('error', () => {}).unref();
  await iteration();
  for (let count = accept.mock.callCount(); count <= 50; count += 1) {
    assert.equal(accept.mock.callCount(), count);
    await iteration();
  }
});

test('if `writableLength` is 0 after `write`, the kernel has it', { skip: NO_UNIX }, async (t) => {
  for (const [size, waiting] of [[1_000, 0], [20_000_000, 20_000_000]] as const) {
    const { client, accepted } = await startPair(t);
    const received = buffer(client);
    const taken = new Promise((resolve) => accepted.write(Buffer.alloc(size), resolve));
    assert.equal(accepted.writableLength, waiting);
    if (waiting > 0) await taken;
    accepted.destroy(); // what Node had kept would be lost
    assert.equal((await received).length, size);
  }
});

test('a socket whose write fails is `errored` at once', async (t) => {
  const { client, accepted } = await startPair(t);
  client.resetAndDestroy();
  accepted.write('x');
  assert.notEqual(accepted.errored, null);
});

testOver('an `unshift` of the high-water mark inside `data` stops the next read', async (over, t) => {
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

test('over TLS, `bytesRead` is what the kernel has given; of the decrypted socket, what was in that', async (t) => {
  const { client, raw, accepted } = await startEnds(t, 'TLS');
  assert.ok(raw.bytesRead > 0);
  assert.equal(accepted.bytesRead, 0);
  client.write('x');
  await until(() => accepted.bytesRead === 1);
});

test('over TLS, a new socket takes what waits in the one below, and says `secure` after the handshake', async (t) => {
  const { client: below, accepted: raw } = await startPair(t, { highWaterMark: 64 });
  const client = beginTls(below);
  const [hello] = await once(raw, 'data');
  raw.pause().unshift(hello);
  const accepted = createTls(tlsOptions(t)).start(raw);
  assert.equal(accepted.readableHighWaterMark, 64);
  await Promise.all([once(accepted, 'secure'), once(client, 'secureConnect')]);
});

test('TLS may end an iteration after the socket below it was destroyed; at once, Node could crash', async (t) => {
  const { raw, accepted } = await startEnds(t, 'TLS');
  raw.destroy();
  await iteration();
  await closed(accepted.destroy());
});

test('over TLS, each key update emits `keylog`, and nothing else does after the handshake', async (t) => {
  const { client: below, accepted: raw } = await startPair(t);
  const accepted = createTls(tlsOptions(t)).start(raw).on('error', () => {}).resume();
  const note = t.mock.fn();
  accepted.once('secure', () => accepted.on('keylog', note));
  below.write(await keyUpdates(beginTls(below), 2_000));
  await until(() => note.mock.callCount() >= 2_000);
  await iterations();
  assert.equal(note.mock.callCount(), 2_000);
});

test('over TLS, a record that is illegal after the handshake is no `error`, but `_tlsError`', async (t) => {
  const { below, accepted } = await startEnds(t, 'TLS');
  accepted.on('error', assert.fail);
  below.write(FORGED);
  const [{ code }] = await once(accepted, '_tlsError');
  assert.match(code, /^ERR_SSL_/);
  await iterations();
});

test('over TLS, when one of the sockets is destroyed, the other closes', async (t) => {
  for (const which of ['accepted', 'raw'] as const) {
    const ends = await startEnds(t, 'TLS');
    ends[which].destroy();
    await Promise.all([closed(ends.accepted), closed(ends.raw)]);
  }
});
