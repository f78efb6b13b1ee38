// Time and numbers are bounded, whatever the clients do. The clock of the sweep is held by the tests.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { makeCertificate, temporaryFolder } from '../support/certificates.ts';
import { readTlsFiles } from '../../src/host/tls-files.ts';
import { startService, type ServiceOptions } from '../support/service.ts';
import { exchange, parseReplies, request, requestBytes } from '../support/wire.ts';

const get = requestBytes('GET', '/api/greetings', []);
const health = requestBytes('GET', '/health', []);
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** The service, with a clock for its sweep: `pass` lets seconds pass one by one. */
async function startWithClock(t: TestContext, options: ServiceOptions = {}) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const service = await startService(t, options);

  /** A client, and the service's end of its connection. */
  async function open(): Promise<{ client: Socket; accepted: Socket }> {
    const connection = once(service.server, 'connection');
    const client = connect({ port: service.port, host: '127.0.0.1' });
    const [accepted] = await connection;
    return { client, accepted };
  }
  function pass(seconds: number): void {
    for (let i = 0; i < seconds; i++) t.mock.timers.tick(1000);
  }
  return { ...service, open, pass };
}

/** One request and its reply, which has left the service when this resolves. */
async function use({ client, accepted }: { client: Socket; accepted: Socket }): Promise<void> {
  client.write(health);
  await once(client, 'data');
  while (accepted.writableLength > 0) await turn(); // TLS tells a little later
}

test('an idle connection is closed after the idle time, without a reply, and not before', async (t) => {
  const { open, pass } = await startWithClock(t);
  const { client, accepted } = await open();
  client.write(health);
  const [bytes] = await once(client, 'data');
  assert.deepEqual(parseReplies(bytes)[0]?.headers.slice(-2), ['Date: now', 'Connection: keep-alive']);
  pass(75); // the first of them sees that it has been used
  assert.equal(accepted.destroyed, false);
  pass(1);
  assert.equal(accepted.destroyed, true);
  assert.deepEqual(await client.toArray(), []);
});

test('a new connection may be idle for the whole idle time, also when a sweep comes right after it', async (t) => {
  const { open, pass } = await startWithClock(t, { keepAliveTimeoutMs: 1000 });
  const { accepted } = await open();
  pass(1);
  assert.equal(accepted.destroyed, false);
  pass(1);
  assert.equal(accepted.destroyed, true);
});

test('a connection that is used again and again lives, and is closed one idle time after its last use', async (t) => {
  const { open, pass } = await startWithClock(t, { keepAliveTimeoutMs: 20_000 });
  const { client, accepted } = await open();
  await use({ client, accepted });
  pass(15);
  await use({ client, accepted });
  pass(15);
  await use({ client, accepted });
  pass(20);
  assert.equal(accepted.destroyed, false);
  pass(1);
  assert.equal(accepted.destroyed, true);
});

test('with a short idle time, content that pauses for longer is still answered', async (t) => {
  const { open, pass, server } = await startWithClock(t, { keepAliveTimeoutMs: 1 });
  const { client } = await open();
  const requested = once(server, 'request');
  client.write('GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na');
  await requested;
  pass(10);
  client.write('b');
  const [bytes] = await once(client, 'data');
  assert.deepEqual(parseReplies(bytes).map((reply) => reply.body), ['Healthy']);
});

/** Sends 20,000 requests and reads nothing, until replies wait in the service. */
async function stall(client: Socket, accepted: Socket): Promise<void> {
  client.pause();
  client.write(get.repeat(20_000));
  while (accepted.writableLength === 0) await turn();
  for (let written = -1; written !== accepted.bytesWritten; await turn()) written = accepted.bytesWritten;
}

test('a client that reads no replies is dropped after 15 s', async (t) => {
  const { open, pass } = await startWithClock(t);
  const { client, accepted } = await open();
  await stall(client, accepted);
  pass(15);
  assert.equal(accepted.destroyed, false);
  pass(1);
  assert.equal(accepted.destroyed, true);
});

test('a client that reads late gets all its replies, and may then be idle for as long as any other', async (t) => {
  const { open, pass } = await startWithClock(t);
  const { client, accepted } = await open();
  await stall(client, accepted);
  pass(14);
  let replies = 0;
  let tail = '';
  client.on('data', (chunk: Buffer) => {
    const text = tail + chunk.toString('latin1');
    replies += text.split('HTTP/1.1 200 OK').length - 1;
    tail = text.slice(-14);
  });
  client.resume();
  while (replies < 20_000) await turn();
  pass(75);
  assert.equal(accepted.destroyed, false);
  pass(1);
  assert.equal(accepted.destroyed, true);
});

test('a head whose rest is not read, because replies wait for the client, is not late', async (t) => {
  const { open, server } = await startWithClock(t);
  const { client, accepted } = await open();
  await stall(client, accepted);
  assert.equal(accepted.isPaused(), true);
  server.emit('clientError', Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), accepted); // as node does after 10 s
  client.end();
  const replies = parseReplies(Buffer.concat(await client.resume().toArray()));
  assert.deepEqual([replies.length, new Set(replies.map(({ status }) => status))], [20_000, new Set([200])]);
});

const halfHead = 'GET /health HT';
const halfContent = 'GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na';
for (const [what, start, rest, statuses] of [
  ['a head that was not late, because replies were unread, gets 408 when its rest does not come', halfHead, '', [200, 408]],
  ['such a head gets 408 when its content does not come', halfHead, 'TP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na', [200, 408]],
  ['such a head is answered when its rest comes', halfHead, 'TP/1.1\r\nHost: a\r\n\r\n', [200, 200]],
  ['such a head is answered when its rest comes, and the next one has its own time', halfHead, `TP/1.1\r\nHost: a\r\n\r\n${health}GET /`, [200, 200, 200]],
  ['content that was not late, because replies were unread, gets 408 when its rest does not come', halfContent, 'b', [200, 408]],
  ['such content is answered when its rest comes', halfContent, 'bc', [200, 200]],
  ['such content is answered when its rest comes, and the next request has its own time', halfContent, `bc${health}GET /`, [200, 200, 200]],
] as const) {
  test(what, async (t) => {
    t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
    const { port, server, refusals } = await startService(t);
    const connection = once(server, 'connection');
    const client = connect({ port, host: '127.0.0.1' });
    const [accepted] = await connection;
    const chunks: Buffer[] = [];
    client.on('data', (chunk) => chunks.push(chunk));
    const received = () => parseReplies(Buffer.concat(chunks)).map(({ status }) => status);
    client.write(health + start);
    while (received().length < 1 || accepted.bytesRead < health.length + start.length) await turn();
    accepted.pause(); // as node does while many replies wait
    server.emit('clientError', Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), accepted); // as node does after 10 s, once
    accepted.resume();
    const bytes = accepted.bytesRead;
    client.write(rest);
    while (accepted.bytesRead < bytes + rest.length) await turn();
    t.mock.timers.tick(9_999);
    assert.deepEqual(refusals, []);
    t.mock.timers.tick(1);
    while (received().length < statuses.length) await turn();
    assert.deepEqual(received(), statuses);
    assert.deepEqual(refusals, statuses.filter((status) => Number(status) === 408));
    client.destroy();
  });
}

test('while the service drains, clients with many requests behind their last one do not cost others their replies', async (t) => {
  const { open, app, port, dropped } = await startWithClock(t);
  const { client, accepted } = await open();
  await stall(client, accepted);
  app.startDraining();
  for (let i = 0; i < 150; i++) {
    const other = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).resume();
    other.write(health.repeat(30));
    t.after(() => other.destroy());
    await once(other, 'end'); // it lingers
  }
  assert.deepEqual([accepted.destroyed, dropped], [false, []]);
  client.destroy();
});

test('a client that reads no replies is dropped whatever it goes on sending after its last request', async (t) => {
  const { open, pass } = await startWithClock(t);
  const { client, accepted } = await open();
  await stall(client, accepted);
  client.write('noise\r\n\r\n');
  for (let second = 0; second < 16; second++) {
    client.write('more');
    await turn();
    pass(1);
  }
  assert.equal(accepted.destroyed, true);
});

test('a client may go on sending for a second after its last reply, and is cut off then', async (t) => {
  const { open, pass } = await startWithClock(t);
  const { client, accepted } = await open();
  client.on('error', () => {}); // being cut off
  client.write('POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n');
  const [bytes] = await once(client, 'data');
  assert.deepEqual(parseReplies(bytes), [{
    statusLine: 'HTTP/1.1 413 Payload Too Large', status: 413, headers: ['Content-Length: 0', 'Date: now', 'Connection: close'], body: '',
  }]);
  pass(1);
  const { bytesRead } = accepted;
  client.write('more');
  while (accepted.bytesRead === bytesRead) await turn();
  assert.equal(accepted.destroyed, false);
  pass(1);
  assert.equal(accepted.destroyed, true);
});

for (const [what, bytes] of [
  ['that sends nothing', ''],
  ['that does not end its headers', 'GET /health HTTP/1.1\r\nHost: a\r\nX'],
  ['that does not end its content', 'POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc'],
] as const) {
  test(`a client ${what} gets 408 when its time is over, and others are served meanwhile`, async (t) => {
    const { port, refusals } = await startService(t, { limits: { headMs: 100, requestMs: 200, sweepMs: 20 } });
    const slow = exchange(port, bytes);
    assert.equal((await request(port, 'GET', '/health')).status, 200);
    const { replies, ended } = await slow;
    assert.deepEqual(replies, [{ statusLine: 'HTTP/1.1 408 Request Timeout', status: 408, headers: ['Content-Length: 0', 'Date: now', 'Connection: close'], body: '' }]);
    assert.ok(ended);
    assert.deepEqual(refusals, [408]);
  });
}

test('a client that sends a byte at a time is not given more time for it', async (t) => {
  const { port } = await startService(t, { limits: { headMs: 100, sweepMs: 20 } });
  const client = connect({ port, host: '127.0.0.1' });
  client.write('GET /health HTTP/1.1\r\nX: ');
  const drip = setInterval(() => client.write('x'), 10);
  const chunks = await client.toArray();
  clearInterval(drip);
  assert.deepEqual(parseReplies(Buffer.concat(chunks)).map((reply) => reply.status), [408]);
});

test('the limits are: headers in 10 s, a request in 15 s, looked at every second; headers of 16 KiB, and one line more than is accepted', async (t) => {
  const { server } = await startService(t);
  const limits = ['headersTimeout', 'requestTimeout', 'connectionsCheckingInterval', 'keepAliveTimeout', 'maxHeaderSize', 'maxHeadersCount'];
  assert.deepEqual(limits.map((limit) => Reflect.get(server, limit)), [10_000, 15_000, 1_000, 0, 16_384, 101]);
});

test('node keeps hardly more lines of a head than are accepted', async (t) => {
  const { port, server } = await startService(t);
  const numbers: number[] = [];
  server.on('request', ({ rawHeaders }) => numbers.push(rawHeaders.length / 2)); // some versions of node refuse the head themselves
  const { replies, ended } = await exchange(port, `GET /health HTTP/1.1\r\n${'ab:\r\n'.repeat(5_000)}Host: a\r\n\r\n`);
  assert.deepEqual([replies.map(({ status }) => status), ended], [[431], true]);
  assert.ok(numbers.every((lines) => lines < 150), String(numbers));
});

test('at the bound, the connection that has been idle longest makes room for a new one', async (t) => {
  const { open, pass, dropped } = await startWithClock(t, { maxConnections: 3 });
  const [first, second, third] = [await open(), await open(), await open()];
  for (const connection of [first, second, third]) await use(connection);
  pass(1);
  await use(first);
  pass(1);
  const fourth = await open();
  assert.deepEqual([first, second, third, fourth].map(({ accepted }) => accepted.destroyed), [false, true, false, false]);
  await once(second.client.resume(), 'close');
  await use(fourth);
  assert.deepEqual(dropped, ['idle']);
});

test('at the bound, when no connection is idle, the new one is closed at once', async (t) => {
  const { open, dropped, server } = await startWithClock(t, { maxConnections: 2 });
  const [first, second] = [await open(), await open()];
  for (const { client } of [first, second]) {
    const requested = once(server, 'request');
    client.write('GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na');
    await requested;
  }
  const third = await open();
  third.client.on('error', () => {});
  await once(third.client.resume(), 'close');
  assert.deepEqual([first, second, third].map(({ accepted }) => accepted.destroyed), [false, false, true]);
  assert.deepEqual(dropped, ['full']);
  first.client.write('b');
  assert.equal(parseReplies((await once(first.client, 'data'))[0])[0]?.body, 'Healthy');
});

/** A service with a connection that has sent nothing, has got 408, and lingers. */
async function startWithLingering(t: TestContext, maxConnections: number) {
  const service = await startService(t, { maxConnections, limits: { silentMs: 1, lingerMs: 86_400_000 } });
  const connection = once(service.server, 'connection');
  const client = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
  const [accepted] = await connection;
  service.server.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), accepted);
  assert.deepEqual(parseReplies((await once(client, 'data'))[0]).map(({ status }) => status), [408]);
  const connectOther = () => connect({ port: service.port, host: '127.0.0.1' }).on('error', () => {}).resume();
  return { ...service, client, accepted, connectOther };
}

test('at the bound, a connection that lingers after it has sent nothing makes no room', async (t) => {
  const { accepted, dropped, connectOther } = await startWithLingering(t, 1);
  await once(connectOther(), 'close');
  assert.deepEqual([accepted.destroyed, dropped], [false, ['full']]);
});

test('when the service closes, a silent connection is closed, but not one that lingers after it has sent nothing', async (t) => {
  const { app, server, client, accepted, connectOther } = await startWithLingering(t, 2);
  const connection = once(server, 'connection');
  const silent = connectOther();
  await connection;
  const closed = app.close();
  await once(silent, 'close');
  assert.equal(accepted.destroyed, false);
  client.end();
  await closed;
});

test('when the service closes, idle connections are closed at once, unless a reply waits to be read on another one', async (t) => {
  const { open, app, server } = await startWithClock(t);
  const [idle, busy] = [await open(), await open()];
  await use(idle);
  await use(busy);
  const requested = once(server, 'request');
  busy.client.write('GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na');
  await requested;
  void app.close();
  assert.deepEqual([idle.accepted.destroyed, busy.accepted.destroyed], [true, false]);
});

test('when the service closes while a reply waits to be read, idle connections are closed once it has left', async (t) => {
  const { open, pass, app } = await startWithClock(t);
  const [idle, late] = [await open(), await open()];
  await use(idle);
  await stall(late.client, late.accepted);
  void app.close();
  pass(1);
  assert.deepEqual([idle.accepted.destroyed, late.accepted.destroyed], [false, false]);
  late.client.destroy();
  await new Promise((resolve) => late.accepted.once('close', resolve));
  pass(1);
  assert.equal(idle.accepted.destroyed, true);
});

async function startTls(t: TestContext, options: ServiceOptions = {}) {
  const secureContext = readTlsFiles(makeCertificate(temporaryFolder(t), 'localhost'), () => assert.fail('nothing is to be logged'));
  const service = await startWithClock(t, { ...options, server: (app) => app.createSecureServer(secureContext) });
  async function openTls() {
    const accepted = once(service.server, 'secureConnection');
    const client = connectTls({ port: service.port, host: '127.0.0.1', rejectUnauthorized: false });
    const [socket] = await accepted;
    return { client, accepted: socket };
  }
  return { ...service, openTls, secureContext };
}

test('an idle TLS connection is closed after the idle time, and not before', async (t) => {
  const { openTls, pass } = await startTls(t);
  const { client, accepted } = await openTls();
  await use({ client, accepted });
  pass(75);
  assert.equal(accepted.destroyed, false);
  pass(1);
  assert.equal(accepted.destroyed, true);
  await once(client.resume(), 'close');
});

test('a client of the TLS port that never begins its handshake is closed after the time for it', async (t) => {
  const { open } = await startTls(t, { limits: { headMs: 50 } });
  const { client, accepted } = await open();
  await once(client.resume(), 'close');
  assert.equal(accepted.destroyed, true);
});

test('over TLS, a client that sends more than 64 KiB in a second, plus 64 bytes for each byte of data, is closed', async (t) => {
  const { server, openTls, pass } = await startTls(t);
  const data = requestBytes('GET', '/health', []);
  for (const [extra, isClosed] of [[65_536 + 64 * data.length, false], [65_537 + 64 * data.length, true]] as const) {
    const connection = once(server, 'connection');
    const { client, accepted } = await openTls();
    const [carrier] = await connection;
    pass(1);
    await use({ client, accepted });
    pass(1);
    const before = carrier.bytesRead;
    await use({ client, accepted });
    // In place of a client that sends records without data, which node cannot do.
    Object.defineProperty(carrier, 'bytesRead', { value: before + extra });
    pass(1);
    assert.equal(accepted.destroyed, isClosed);
    client.on('error', () => {}).destroy();
  }
});

test('records without data are counted for the client that sends them, not for another one with the same port', { skip: process.platform !== 'linux' && 'only Linux has every address of 127.0.0.0/8' }, async (t) => {
  const { server, port, pass } = await startTls(t);
  const carriers: Socket[] = [];
  const accepted: Socket[] = [];
  server.on('connection', (socket) => carriers.push(socket)).on('secureConnection', (socket) => accepted.push(socket));
  let localPort = 0; // any free port for the first client
  for (const localAddress of ['127.0.0.1', '127.0.0.2']) {
    const client = connectTls({ socket: connect({ port, host: '127.0.0.1', localAddress, localPort }), rejectUnauthorized: false }).on('error', () => {});
    await once(client, 'secureConnect');
    localPort = client.localPort ?? assert.fail('it is connected');
  }
  while (accepted.length < 2) await turn();
  Object.defineProperty(carriers[1], 'bytesRead', { value: 1_000_000 });
  pass(1);
  assert.deepEqual(accepted.map(({ destroyed }) => destroyed), [false, true]);
});

test('on a Unix socket, records without data are not counted, because no port says who sends them', async (t) => {
  const path = join(temporaryFolder(t), 'tls.sock');
  const { app, pass, secureContext } = await startTls(t);
  const server = app.createSecureServer(secureContext).listen(path);
  await once(server, 'listening');
  const connection = once(server, 'connection');
  const secured = once(server, 'secureConnection');
  connectTls({ socket: connect({ path }), rejectUnauthorized: false }).on('error', () => {});
  const [[carrier], [accepted]] = [await connection, await secured];
  Object.defineProperty(carrier, 'bytesRead', { value: 1_000_000 });
  pass(1);
  assert.equal(accepted.destroyed, false);
});

test('at the bound of TLS, idle connections and those without a handshake make room, and others do not', async (t) => {
  const { open, openTls, dropped, server, port } = await startTls(t, { maxConnections: 2 });
  const silent = await open();
  const used = await openTls();
  await use(used);
  const ends = [used, silent].map(({ client }) => once(client.resume(), 'close'));
  const third = await openTls();
  const requested = once(server, 'request');
  third.client.write('GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na');
  await requested;
  const fourth = await openTls();
  await Promise.all(ends);
  const alsoRequested = once(server, 'request');
  fourth.client.write('GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na');
  await alsoRequested;
  const fifth = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await assert.rejects(once(fifth, 'secureConnect'));
  assert.deepEqual(dropped, ['idle', 'idle', 'full']);
  third.client.write('b');
  assert.equal(parseReplies((await once(third.client, 'data'))[0])[0]?.body, 'Healthy');
});

test('over TLS, a client that ends its side behind an illegal request gets the replies that wait, and the refusal', async (t) => {
  const { port } = await startTls(t);
  for (const count of [1, 154, 500]) {
    const options = { port, host: '127.0.0.1', rejectUnauthorized: false, allowHalfOpen: true };
    const client = connectTls(options);
    client.end(`${get.repeat(count)}GET /health HTTP/1.1\r\n\r\n`);
    const replies = parseReplies(Buffer.concat(await client.toArray()));
    assert.deepEqual(replies.map(({ status }) => status), [...Array.from({ length: count }, () => 200), 400]);
  }
});

test('the records of requests that are cut are complete when the service has closed', async (t) => {
  const { app, server, open, records } = await startWithClock(t, { observed: true });
  const requested = once(server, 'request');
  const { client } = await open();
  client.on('error', () => {}).write('GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab');
  await requested;
  const closed = app.close();
  app.closeAll();
  await closed;
  assert.deepEqual(records.map(({ path, status, aborted }) => [path, status, aborted]), [['/health', undefined, true]]);
});

test('a connection over TLS is counted once when all are cut', async (t) => {
  const { app, open, openTls } = await startTls(t);
  const clients = [await openTls(), await openTls(), await open()];
  for (const { client } of clients) client.on('error', () => {});
  assert.equal(app.closeAll(), 3);
  await Promise.all(clients.map(({ client }) => once(client.resume(), 'close')));
});

test('all connections can be cut at the moment when a TLS handshake ends', async (t) => {
  const { app, server, port } = await startTls(t);
  const cut = new Promise((resolve) => server.once('secureConnection', () => queueMicrotask(() => resolve(app.closeAll()))));
  const client = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }).on('error', () => {}).resume();
  assert.equal(await cut, 1);
  await new Promise((resolve) => client.once('close', resolve));
});

test('TLS clients that send thousands of requests and read nothing are cut off, and no error is thrown', async (t) => {
  const { openTls, dropped } = await startTls(t);
  const clients = [];
  for (let i = 0; i < 60; i++) clients.push((await openTls()).client.on('error', () => {}).pause());
  for (const client of clients) client.write('GET / HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(2_500));
  while (dropped.length === 0) await turn();
  for (let i = 0; i < 3; i++) {
    const { client } = await openTls();
    client.end(health);
    assert.equal(parseReplies(Buffer.concat(await client.toArray()))[0]?.body, 'Healthy');
  }
  for (const client of clients) client.destroy();
});
