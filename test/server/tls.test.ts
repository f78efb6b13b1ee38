// TLS: the same connections, on a TLS socket over the accepted one.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { readTlsFiles } from '../../src/host/tls-files.ts';
import { secure } from '../../src/server/tls.ts';
import { makeCertificate, temporaryFolder } from '../support/certificates.ts';
import { readReplies, readToEnd, startWithClock } from '../support/both-sides.ts';
import { countTurns } from '../support/turns.ts';
import { connectRecords } from '../support/records.ts';
import { requestStart, requestStarts } from '../support/request-start.ts';
import type { ServiceOptions } from '../support/service.ts';
import { exchangeOn, parseReplies, requestBytes } from '../support/exchange.ts';

const health = requestBytes('GET', '/health', []);
const close = requestBytes('GET', '/health');
const halfContent = `${requestBytes('GET', '/health', ['Content-Length: 2'])}a`;
const times = (count: number, status = 200) => Array.from({ length: count }, () => status);
const statusesIn = (bytes: Buffer) => parseReplies(bytes).map(({ status }) => status);

async function startTls(t: TestContext, options: ServiceOptions = {}) {
  const sockets: Socket[] = []; // of TLS, in the service
  const secureContext = readTlsFiles(makeCertificate(temporaryFolder(t), 'localhost'), () => assert.fail('nothing is to be logged'));
  const service = await startWithClock(t, { ...options, server: (app) => app.createSecureServer((...carrier) => {
    const transport = secure(secureContext, ...carrier);
    sockets.push(transport.socket);
    return transport;
  }) });
  function dial(more: ConnectionOptions = {}): TLSSocket {
    const options = { port: service.port, host: '127.0.0.1', rejectUnauthorized: false, allowHalfOpen: true, ...more };
    return connectTls(options).setNoDelay(true).on('error', () => {});
  }

  /** A client whose handshake is over, and the TCP socket of the service. */
  async function openTls(more: ConnectionOptions = {}): Promise<{ client: TLSSocket; accepted: Socket }> {
    const connection = once(service.server, 'connection');
    const client = dial(more);
    t.after(() => client.destroy());
    await once(client, 'secureConnect');
    const [accepted] = await connection;
    return { client, accepted };
  }

  /** A client whose records can be kept, and its TCP socket. */
  async function openRecords(more: ConnectionOptions = {}) {
    const { client: below, accepted } = await service.open();
    return { below, accepted, ...await connectRecords(below, more) };
  }
  return { ...service, dial, openTls, openRecords, secureContext, sockets };
}

/** One request and its reply. */
async function use(client: Socket): Promise<void> {
  client.write(health);
  await readReplies(client, 1);
  for (let i = 0; i < 3; i += 1) await turn();
}

/** A request, its reply, and the next request but for its last byte. Resolves when that has been read. */
async function sendHalf({ client, accepted }: { readonly client: Socket; readonly accepted: Socket }): Promise<void> {
  await use(client);
  const { bytesRead } = accepted;
  client.write(halfContent);
  while (accepted.bytesRead < bytesRead + halfContent.length) await turn();
  await turn();
}

const closing = (socket: Socket) => new Promise<void>((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));

describe('the TLS handshake', { timeout: 20_000 }, () => {
  test('takes nothing of the time that the connection may then be idle', async (t) => {
    const { open, pass } = await startTls(t, { limits: { idleMs: 3_000 } });
    const { client: below, accepted } = await open();
    pass(5);
    const client = connectTls({ socket: below, rejectUnauthorized: false }).on('error', () => {});
    t.after(() => client.destroy());
    await once(client.resume(), 'session'); // the server sends it when the handshake is over
    pass(3);
    assert.equal(accepted.destroyed, false);
    pass(1);
    await closing(accepted);
  });

  test('is the only time when all reads are long ones', async (t) => {
    const turns = countTurns(t);
    const seenAt: number[] = [];
    const { openTls } = await startTls(t, { now: () => seenAt.push(turns()) });
    const clients: TLSSocket[] = [];
    for (let i = 0; i < 20; i += 1) {
      const { client } = await openTls();
      await use(client);
      clients.push(client);
    }
    const replies = clients.map((client) => readReplies(client, 1));
    for (const client of clients) client.write(requestBytes('GET', '/api/greetings', [])); // the kernel has all of them before the next turn
    await Promise.all(replies);
    assert.equal(seenAt.length, clients.length);
    assert.ok(new Set(seenAt).size <= 5, `${new Set(seenAt).size} turns`); // with long reads they are 20
  });

  for (const [what, bytes] of [['is never begun', ''], ['breaks off', '\x16\x03\x01\x02\x00\x01']] as const) {
    test(`that ${what} is ended after 10 s`, async (t) => {
      const { open, pass, records, refusals } = await startTls(t, { observed: true });
      const { client, accepted } = await open();
      client.write(bytes, 'latin1');
      while (accepted.bytesRead < bytes.length) await turn();
      pass(10);
      assert.equal(accepted.destroyed, false);
      pass(1);
      await closing(accepted);
      assert.deepEqual([await readToEnd(client), records, refusals], [Buffer.alloc(0), [], []]);
    });
  }

  test('ends its limit: an idle TLS connection is closed after the idle time', async (t) => {
    const { openTls, pass } = await startTls(t);
    for (const isUsed of [false, true]) {
      const { client, accepted } = await openTls();
      if (isUsed) await use(client);
      else await once(client.resume(), 'session'); // the server sends it when the handshake is over
      pass(75);
      await turn();
      assert.equal(accepted.destroyed, false);
      pass(1);
      await closing(accepted);
      assert.deepEqual(await readToEnd(client), Buffer.alloc(0));
    }
  });

  test('with bytes that are no TLS ends the connection, and nothing is reported', async (t) => {
    const { open, openTls, refusals, records, reported } = await startTls(t, { observed: true });
    const { client, accepted } = await open();
    client.write(close);
    client.resume();
    await closing(accepted);
    assert.deepEqual([refusals, records, reported], [[], [], []]);
    await use((await openTls()).client);
  });

  for (const [what, options] of [
    ['HTTP/2 only', { ALPNProtocols: ['h2'] }],
    ['TLS 1.1', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }],
    ['a key exchange that costs much', { ecdhCurve: 'P-521' }],
    ['another cipher', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' }],
  ] as const) {
    test(`with a client that offers ${what} fails, and its connection closes`, async (t) => {
      const { server, dial } = await startTls(t);
      const connection = once(server, 'connection');
      await assert.rejects(once(dial(options), 'secureConnect'));
      const [accepted] = await connection;
      await closing(accepted);
    });
  }

  test('agrees on HTTP/1.1 with a client that offers it, and on nothing with one that offers no protocol', async (t) => {
    const { openTls } = await startTls(t);
    assert.equal((await openTls({ ALPNProtocols: ['h2', 'http/1.1'] })).client.alpnProtocol, 'http/1.1');
    assert.equal((await openTls()).client.alpnProtocol, false);
  });

  test('that the client leaves ends nothing but its connection', async (t) => {
    const { open, openTls, reported } = await startTls(t);
    for (const bytes of ['', '\x16\x03\x01\x02\x00\x01']) {
      for (const leave of ['end', 'destroy', 'resetAndDestroy'] as const) {
        const { client, accepted } = await open();
        client.write(bytes, 'latin1');
        while (accepted.bytesRead < bytes.length) await turn();
        client.resume()[leave]();
        await closing(accepted);
      }
    }
    await use((await openTls()).client);
    assert.deepEqual(reported, []);
  });
});

describe('over TLS', { timeout: 20_000 }, () => {
  test('2,000 pipelined requests that are read late get 2,000 replies, and wait unparsed meanwhile', async (t) => {
    const { openTls, records } = await startTls(t, { observed: true, development: true });
    const starts = requestStarts(t);
    const { client } = await openTls();
    client.pause().write(requestBytes('GET', '/openapi/v1.json', []).repeat(2_000));
    let calm = 0;
    for (let before = -1; calm < 50; calm += 1) {
      if (starts.length !== before) calm = 0;
      before = starts.length;
      await turn();
    }
    assert.ok(starts.length < 2_000, `${starts.length} were parsed although no reply was read`);
    client.end();
    assert.deepEqual(statusesIn(await readToEnd(client)), times(2_000));
    assert.equal(records.length, 2_000);
  });

  test('records of one byte each are one request, as they come and as one burst', async (t) => {
    const { openTls, openRecords } = await startTls(t);
    const text = health + requestBytes('POST', '/health', ['Content-Length: 3', 'Connection: close']) + 'abc';
    const { client } = await openTls();
    for (const byte of text) await new Promise((resolve) => client.write(byte, 'latin1', resolve));
    assert.deepEqual(statusesIn(await readToEnd(client)), [200, 405]);

    const burst = await openRecords();
    burst.below.write(await burst.recordsOf(text));
    assert.deepEqual(statusesIn(await readToEnd(burst.client)), [200, 405]);
  });

  test('records of one byte behind an unread reply do not pile up in the memory: a few are decrypted', async (t) => {
    const { openRecords, records, sockets } = await startTls(t, { observed: true, development: true });
    const { client, below, accepted, recordsOf } = await openRecords();
    client.pause();
    for (let stillTurns = 0; stillTurns < 100;) {
      const { length } = records;
      client.write(requestBytes('GET', '/openapi/v1.json', []));
      for (stillTurns = 0; stillTurns < 100 && records.length === length; stillTurns += 1) await turn();
    }
    const decrypted = () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    const before = decrypted();
    below.write(await recordsOf('x'.repeat(10_000)));
    let last = -1;
    for (let stillTurns = 0; stillTurns < 50; stillTurns += 1) {
      if (accepted.bytesRead !== last) stillTurns = 0;
      last = accepted.bytesRead;
      await turn();
    }
    assert.ok(decrypted() - before <= 32, `${decrypted() - before} records of 10,000`);
  });

  test('a corrupt record ends the connection at once, and what follows is not read', async (t) => {
    const { openRecords, records, reported } = await startTls(t, { observed: true });
    const { client, below, accepted, recordsOf } = await openRecords();
    await use(client);
    const record = await recordsOf(['x']);
    record.writeUInt8(record.readUInt8(record.length - 1) ^ 1, record.length - 1);
    const { bytesRead } = accepted;
    below.write(Buffer.concat([record, Buffer.alloc(4_000_000, record)]));
    await closing(accepted);
    assert.ok(accepted.bytesRead - bytesRead < 1_000_000, `${accepted.bytesRead - bytesRead} bytes were read`);
    assert.deepEqual([records.length, reported], [1, []]);
  });

  test('renegotiation is refused', async (t) => {
    const { openTls } = await startTls(t);
    const { client, accepted } = await openTls({ maxVersion: 'TLSv1.2' });
    await use(client);
    const failed = once(client, 'error');
    client.resume().renegotiate({ rejectUnauthorized: false }, () => assert.fail('there was a second handshake'));
    assert.equal((await failed)[0].code, 'ERR_SSL_NO_RENEGOTIATION');
    await closing(accepted);
  });

  test('a client that ends its side gets the replies that it is owed, and a refusal of what breaks off', async (t) => {
    const { openTls } = await startTls(t);
    for (const [bytes, statuses] of [
      ['', []],
      [health, [200]],
      [health.repeat(50), times(50)],
      [`${health.repeat(50)}GET /health HTTP/1.1\r\n\r\n`, [...times(50), 400]],
      [`${health.repeat(70)}${requestBytes('POST', '/health', ['Transfer-Encoding: chunked'])}3\r\nab`, [...times(70), 400]],
      ['GET /hea', [400]],
    ] as const) {
      const { client, accepted } = await openTls();
      client.end(bytes);
      assert.deepEqual(statusesIn(await readToEnd(client)), statuses);
      await closing(accepted);
    }
  });

  test('the last reply arrives when the client sends 1 MB more and reads only then', async (t) => {
    const { openTls } = await startTls(t);
    for (const last of [close, 'junk\r\n\r\n', requestBytes('CONNECT', 'a:80', []), requestBytes('POST', '/health', ['Content-Length: 1000000'])]) {
      const { client } = await openTls();
      await new Promise((resolve) => client.pause().write(health + last + 'x'.repeat(1_000_000), resolve));
      assert.equal(parseReplies(await readToEnd(client)).length, 2);
      client.destroy();
    }
  });

  test('a client that does not read is dropped after 15 s, and half a head gets 408 after 10', async (t) => {
    const { openTls, pass, records } = await startTls(t, { observed: true, development: true });
    const [unread, half] = [await openTls(), await openTls()];
    unread.client.pause().write(requestBytes('GET', '/openapi/v1.json', []).repeat(2_000));
    const started = requestStart();
    half.client.write(`${health}GET /hea`);
    await started;
    await readReplies(half.client, 1);
    let calm = 0;
    for (let before = -1; calm < 50; calm += 1) {
      if (records.length !== before) calm = 0;
      before = records.length;
      await turn();
    }
    pass(11);
    assert.deepEqual(statusesIn(await readToEnd(half.client)), [408]);
    pass(4);
    assert.equal(unread.accepted.destroyed, false);
    pass(1);
    await closing(unread.accepted);
    while (records.at(-1)?.aborted !== true) await turn();
  });

  test('idle connections and those without a handshake make room at MAX_CONNECTIONS, and others do not', async (t) => {
    const { open, openTls, dropped } = await startTls(t, { maxConnections: 2 });
    const silent = await open();
    const used = await openTls();
    await use(used.client);
    const busy = [];
    for (let i = 0; i < 2; i += 1) {
      const pair = await openTls();
      await sendHalf(pair);
      busy.push(pair);
    }
    await Promise.all([closing(silent.accepted), closing(used.accepted)]);
    const fifth = await open();
    assert.equal(fifth.accepted.destroyed, true);
    assert.deepEqual(dropped, ['idleClosed', 'idleClosed', 'newRefused']);
    for (const { client } of busy) {
      client.write('b');
      await readReplies(client, 1);
    }
  });

  test('at the stop, idle connections are closed at once, and each connection is counted once when all are cut', async (t) => {
    const { app, openTls, open } = await startTls(t);
    const idle = await openTls();
    await use(idle.client);
    const busy = await openTls();
    await sendHalf(busy);
    const handshaking = await open();
    const closed = app.close();
    await closing(idle.accepted);
    assert.deepEqual([busy.accepted.destroyed, handshaking.accepted.destroyed], [false, false]);
    assert.equal(app.closeAll(), 1);
    await closed;
    assert.deepEqual([busy.accepted.destroyed, handshaking.accepted.destroyed], [true, true]);
  });

  test('a client that resets its connection is no error of ours, wherever it is', async (t) => {
    const { openTls, reported, records } = await startTls(t, { observed: true });
    for (const bytes of ['', 'GET /hea', halfContent, health, close, 'junk\r\n\r\n', requestBytes('CONNECT', 'a:80', [])]) {
      const below = await openTls();
      if (bytes !== '') await new Promise((resolve) => below.client.write(bytes, resolve));
      below.client.destroy();
      await closing(below.accepted);
    }
    await use((await openTls()).client);
    assert.deepEqual(reported, []);
    assert.ok(records.every(({ remoteAddress }) => remoteAddress === '127.0.0.1'));
  });

  test('a connection on a Unix socket is served, and ended when it is idle', async (t) => {
    const path = join(temporaryFolder(t), 'tls.sock');
    const { app, pass, secureContext } = await startTls(t);
    const server = app.createSecureServer((...carrier) => secure(secureContext, ...carrier)).listen(path);
    await once(server, 'listening');
    const connection = once(server, 'connection');
    const client = connectTls({ socket: connect({ path }), rejectUnauthorized: false }).on('error', () => {});
    const [accepted] = await connection;
    await use(client);
    pass(76);
    await closing(accepted);
    client.destroy();
  });
});

test('a new certificate is used for new connections', { timeout: 20_000 }, async (t) => {
  const contexts = ['old', 'new'].map((name) => readTlsFiles(makeCertificate(temporaryFolder(t), name), () => assert.fail('nothing is to be logged')));
  let asked = 0;
  const service = await startWithClock(t, { server: (app) => app.createSecureServer((...carrier) => secure(contexts[asked++] ?? assert.fail('once for each connection'), ...carrier)) });
  for (const name of ['old', 'new']) {
    const client = connectTls({ port: service.port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(client, 'secureConnect');
    assert.equal(client.getPeerX509Certificate()?.subject, `CN=${name}`);
    const { replies } = await exchangeOn(client, close);
    assert.deepEqual(replies.map(({ body }) => body), ['Healthy']);
  }
});
