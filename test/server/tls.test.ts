// TLS: the same connections, on a TLS socket over the accepted one.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { readTlsFiles } from '../../src/host/tls-files.ts';
import { makeCertificate, temporaryFolder } from '../support/certificates.ts';
import { readReplies, readToEnd, startWithClock } from '../support/clock.ts';
import { requestStart, requestStarts } from '../support/request-start.ts';
import type { ServiceOptions } from '../support/service.ts';
import { exchangeOn, parseReplies, requestBytes } from '../support/wire.ts';

const health = requestBytes('GET', '/health', []);
const close = requestBytes('GET', '/health');
const halfContent = `${requestBytes('GET', '/health', ['Content-Length: 2'])}a`;
const times = (count: number, status = 200) => Array.from({ length: count }, () => status);
const statusesIn = (bytes: Buffer) => parseReplies(bytes).map(({ status }) => status);

async function startTls(t: TestContext, options: ServiceOptions = {}) {
  const secureContext = readTlsFiles(makeCertificate(temporaryFolder(t), 'localhost'), () => assert.fail('nothing is to be logged'));
  const service = await startWithClock(t, { ...options, server: (app) => app.createSecureServer(() => secureContext) });
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
  return { ...service, dial, openTls, secureContext };
}

/** One request and its reply. */
async function use(client: Socket): Promise<void> {
  client.write(health);
  await readReplies(client, 1);
  for (let i = 0; i < 3; i += 1) await turn();
}

const closing = (socket: Socket) => new Promise<void>((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));

describe('the TLS handshake', { timeout: 20_000 }, () => {
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
    ['another cipher', { maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' }],
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

  test('the reply to PRI without a version, after which node destroys the stream, is recorded as sent', async (t) => {
    const { openTls, records } = await startTls(t, { observed: true });
    const { client } = await openTls();
    client.write('PRI /a\r\n\r\n');
    assert.deepEqual(statusesIn(await readToEnd(client)), [505]);
    client.end();
    while (records.length === 0) await turn();
    assert.deepEqual(records.map(({ status, aborted }) => [status, aborted]), [[505, undefined]]);
  });

  test('records of one byte each are one request', async (t) => {
    const { openTls } = await startTls(t);
    const { client } = await openTls();
    for (const byte of health + requestBytes('POST', '/health', ['Content-Length: 3', 'Connection: close']) + 'abc') {
      await new Promise((resolve) => client.write(byte, 'latin1', resolve));
    }
    assert.deepEqual(statusesIn(await readToEnd(client)), [200, 405]);
  });

  test('records of one byte behind an unread reply do not pile up in the memory: they are left unread', async (t) => {
    const { openTls, records } = await startTls(t, { observed: true, development: true });
    const { client, accepted } = await openTls();
    client.pause();
    for (let stillTurns = 0; stillTurns < 100;) {
      const { length } = records;
      client.write(requestBytes('GET', '/openapi/v1.json', []));
      for (stillTurns = 0; stillTurns < 100 && records.length === length; stillTurns += 1) await turn();
    }
    const before = accepted.bytesRead;
    for (let sent = 0; sent < 10_000; sent += 1) await new Promise((resolve) => client.write('x', resolve));
    let last = -1;
    for (let stillTurns = 0; stillTurns < 50; stillTurns += 1) {
      if (accepted.bytesRead !== last) stillTurns = 0;
      last = accepted.bytesRead;
      await turn();
    }
    assert.ok(last - before < 160 * 1024, `${last - before} bytes of about 230,000 were read`);
  });

  test('a client that ends its side gets the replies that it is owed, and a refusal of what breaks off', async (t) => {
    const { openTls } = await startTls(t);
    for (const [bytes, statuses] of [
      ['', []],
      [health, [200]],
      [health.repeat(500), times(500)],
      [`${health.repeat(500)}GET /health HTTP/1.1\r\n\r\n`, [...times(500), 400]],
      [`${health.repeat(700)}${requestBytes('POST', '/health', ['Transfer-Encoding: chunked'])}3\r\nab`, [...times(700), 400]],
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
      const started = requestStart();
      pair.client.write(halfContent);
      await started;
      busy.push(pair);
    }
    await Promise.all([closing(silent.accepted), closing(used.accepted)]);
    const fifth = await open();
    assert.equal(fifth.accepted.destroyed, true);
    assert.deepEqual(dropped, ['idle', 'idle', 'full']);
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
    const started = requestStart();
    busy.client.write(halfContent);
    await started;
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

  test('a client that sends more than 64 KiB in a second, plus 64 bytes for each byte of data, is closed', async (t) => {
    const { openTls, pass, records } = await startTls(t);
    for (const [extra, isClosed] of [[65_536 + 64 * health.length, false], [65_537 + 64 * health.length, true]] as const) {
      const { client, accepted } = await openTls();
      await use(client);
      pass(1);
      const before = accepted.bytesRead;
      await use(client);
      // In place of a client that sends records without data, which node cannot do.
      Object.defineProperty(accepted, 'bytesRead', { value: before + extra, configurable: true });
      pass(1);
      await turn();
      assert.equal(accepted.destroyed, isClosed);
      Object.defineProperty(accepted, 'bytesRead', { value: before + extra + 65_536 });
      pass(1);
      await turn();
      assert.equal(accepted.destroyed, isClosed, 'each second counts for itself');
      client.destroy();
    }
    assert.deepEqual(records, []);
  });

  test('so it is on a Unix socket', async (t) => {
    const path = join(temporaryFolder(t), 'tls.sock');
    const { app, pass, secureContext } = await startTls(t);
    const server = app.createSecureServer(() => secureContext).listen(path);
    await once(server, 'listening');
    const connection = once(server, 'connection');
    const client = connectTls({ socket: connect({ path }), rejectUnauthorized: false }).on('error', () => {});
    const [accepted] = await connection;
    await use(client);
    Object.defineProperty(accepted, 'bytesRead', { value: 1_000_000 });
    pass(1);
    await closing(accepted);
    client.destroy();
  });
});

test('a new certificate is used for new connections', { timeout: 20_000 }, async (t) => {
  const contexts = ['old', 'new'].map((name) => readTlsFiles(makeCertificate(temporaryFolder(t), name), () => assert.fail('nothing is to be logged')));
  let asked = 0;
  const service = await startWithClock(t, { server: (app) => app.createSecureServer(() => contexts[asked++] ?? assert.fail('once for each connection')) });
  for (const name of ['old', 'new']) {
    const client = connectTls({ port: service.port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(client, 'secureConnect');
    assert.equal(client.getPeerX509Certificate()?.subject, `CN=${name}`);
    const { replies } = await exchangeOn(client, close);
    assert.deepEqual(replies.map(({ body }) => body), ['Healthy']);
  }
});
