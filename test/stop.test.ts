// Tests how the process stops, from the signal to the exit code. Which connections it waits for is in server/connections.test.ts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { makeCertificate, temporaryFolder } from './support/certificates.ts';
import { portIn, spawnService, type ServiceProcess } from './support/process.ts';
import { exchangeOn, request, requestBytes } from './support/exchange.ts';

const health = requestBytes('GET', '/health', []);

/** A connection on which one request has been answered, and `more` has been sent since. */
async function usedConnection(port: number, more = ''): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  await answered(socket);
  socket.write(more);
  return socket;
}

async function answered(socket: Socket): Promise<void> {
  socket.write(health);
  await once(socket, 'data');
}

async function messageOf(service: ServiceProcess): Promise<string> {
  return (await service.nextLine()).message;
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal}: idle and silent connections are closed at once, an incomplete request is still answered, and then the process ends`, async (t) => {
    const service = spawnService(t, { PORT: '0' });
    const port = portIn(await service.nextLine());
    const idle = await usedConnection(port);
    const silent = connect({ port, host: '127.0.0.1' });
    await once(silent, 'connect');
    const halfSent = await usedConnection(port, health.slice(0, 20));
    await request(port, 'GET', '/health'); // when this is answered, the bytes sent before have arrived
    const ends = [once(idle.resume(), 'close'), once(silent.resume(), 'close')];
    service.child.kill(signal);
    assert.deepEqual(await service.nextLine().then(({ time, ...line }) => line), { level: 'info', message: 'Stopping', signal, delayMs: 0 });
    assert.equal(await messageOf(service), 'Closing: no new connections, waiting for requests in progress');
    await Promise.all(ends);
    await assert.rejects(request(port, 'GET', '/health'), { code: 'ECONNREFUSED' });

    const { replies, ended } = await exchangeOn(halfSent, health.slice(20));
    assert.deepEqual(replies.map(({ status, body, headers }) => [status, body, headers.at(-1)]), [[503, 'Unhealthy', 'Connection: close']]);
    assert.ok(ended);
    const { lines, code } = await service.ended();
    assert.deepEqual(lines.map((line) => [line.message, line['connectionsCut']]), [['Stopped', 0]]);
    assert.equal(code, 0);
  });
}

test('while it drains, the service is unhealthy and still answers new connections, and every reply closes its connection', async (t) => {
  const service = spawnService(t, { PORT: '0', SHUTDOWN_DELAY_MS: '60000' });
  const port = portIn(await service.nextLine());
  const used = await usedConnection(port);
  service.child.kill('SIGTERM');
  assert.equal((await service.nextLine())['delayMs'], 60_000);
  const unhealthy = {
    statusLine: 'HTTP/1.1 503 Service Unavailable',
    status: 503,
    headers: ['Content-Type: text/plain', 'Content-Length: 9', 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff', 'Date: now', 'Connection: close'],
    body: 'Unhealthy',
  };
  assert.deepEqual(await exchangeOn(used, health), { replies: [unhealthy], ended: true });
  const fresh = connect({ port, host: '127.0.0.1' });
  const { replies, ended } = await exchangeOn(fresh, requestBytes('GET', '/api/greetings', []));
  assert.deepEqual(replies.map(({ status, headers }) => [status, headers.at(-1)]), [[200, 'Connection: close']]);
  assert.ok(ended);
  service.child.kill('SIGINT');
  const { lines, code } = await service.ended();
  assert.deepEqual(lines.map(({ time, ...line }) => line), [{ level: 'warn', message: 'Stopping at once on a second signal', signal: 'SIGINT' }]);
  assert.equal(code, 1);
});

test('after SHUTDOWN_DELAY_MS the listener closes', async (t) => {
  const service = spawnService(t, { PORT: '0', SHUTDOWN_DELAY_MS: '30' });
  await service.nextLine();
  service.child.kill('SIGTERM');
  const { lines, code } = await service.ended();
  assert.deepEqual(lines.map(({ message }) => message), ['Stopping', 'Closing: no new connections, waiting for requests in progress', 'Stopped']);
  const [first, second] = lines.map(({ time }) => Date.parse(time));
  assert.ok((second ?? 0) - (first ?? 0) >= 29, 'the service waited');
  assert.equal(code, 0);
});

test('a request that is cut at SHUTDOWN_TIMEOUT_MS is in the access log', async (t) => {
  const service = spawnService(t, { PORT: '0', ACCESS_LOG: 'true', SHUTDOWN_TIMEOUT_MS: '0' });
  const socket = connect({ port: portIn(await service.nextLine()), host: '127.0.0.1' });
  socket.on('error', () => {});
  await answered(socket);
  socket.write('GET /nope HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab');
  assert.equal(await messageOf(service), 'Request'); // the log is written 50 ms later than the content
  service.child.kill('SIGTERM');
  const { lines, code } = await service.ended();
  assert.deepEqual(lines.map((line) => [line.message, line['path'], line['aborted']]), [
    ['Stopping', undefined, undefined],
    ['Closing: no new connections, waiting for requests in progress', undefined, undefined],
    ['Request', '/nope', true],
    ['Stopped', undefined, undefined],
  ]);
  assert.equal(code, 0);
});

test('connections with incomplete requests are closed at SHUTDOWN_TIMEOUT_MS, and the log has the number of those whose head had arrived', async (t) => {
  const service = spawnService(t, { PORT: '0', SHUTDOWN_TIMEOUT_MS: '50' });
  const port = portIn(await service.nextLine());
  const sockets = [await usedConnection(port, 'GET /health HT'), await usedConnection(port, 'GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc')];
  const closed = sockets.map((socket) => new Promise((resolve) => socket.on('error', () => {}).resume().on('close', resolve)));
  await request(port, 'GET', '/health');
  service.child.kill('SIGTERM');
  const { lines, code } = await service.ended();
  assert.equal(lines.at(-1)?.['connectionsCut'], 1);
  assert.equal(code, 0);
  await Promise.all(closed);
});

test('plain and TLS listeners close together', async (t) => {
  const { certFile, keyFile } = makeCertificate(temporaryFolder(t), 'localhost');
  const service = spawnService(t, { PORT: '0', HTTPS_PORT: '0', TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile });
  const httpsPort = portIn(await service.nextLine());
  const httpPort = portIn(await service.nextLine());
  const tls = () => connectTls({ port: httpsPort, host: '127.0.0.1', rejectUnauthorized: false });
  const [idle, silent, halfSent, unshaken] = [tls(), tls(), tls(), connect({ port: httpsPort, host: '127.0.0.1' })];
  await Promise.all([answered(idle), answered(halfSent), once(silent, 'session'), once(unshaken, 'connect')]);
  halfSent.write(health.slice(0, 20));
  const plain = await usedConnection(httpPort);
  await exchangeOn(tls(), requestBytes('GET', '/health'));
  const ends = [idle, silent, unshaken, plain].map((socket) => once(socket.resume(), 'close'));
  service.child.kill('SIGTERM');
  await Promise.all(ends);
  const { replies } = await exchangeOn(halfSent, health.slice(20));
  assert.deepEqual(replies.map(({ status, headers }) => [status, headers.at(-1)]), [[503, 'Connection: close']]);
  const { lines, code } = await service.ended();
  assert.deepEqual([lines.at(-1)?.message, lines.at(-1)?.['connectionsCut'], code], ['Stopped', 0, 0]);
});
