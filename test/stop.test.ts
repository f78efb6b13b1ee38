// Tests how the process stops, from the signal to the exit code. Its steps and times are in host/signals.test.ts, and which connections it
// waits for is in server/connections.test.ts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { makeCertificate, temporaryFolder } from './support/certificates.ts';
import { exchangeOn, request, requestBytes } from './support/exchange.ts';
import { portIn, spawnService, untimed } from './support/process.ts';

const health = requestBytes('GET', '/health', []);
const plain = (port: number) => connect({ port, host: '127.0.0.1' });

/** The same socket, when one request has been answered on it, and `more` has been sent since. */
async function used(socket: Socket, more = ''): Promise<Socket> {
  socket.write(health);
  await once(socket, 'data');
  socket.write(more);
  return socket;
}

test('idle and silent connections are closed, plain and TLS; an incomplete request is answered, and then the process ends', async (t) => {
  const { certFile, keyFile } = makeCertificate(temporaryFolder(t), 'localhost');
  const env = { PORT: '0', HTTPS_PORT: '0', TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, SHUTDOWN_TIMEOUT_MS: '86400000' };
  const service = spawnService(t, env);
  const [httpsPort, httpPort] = [portIn(await service.nextLine()), portIn(await service.nextLine())];
  const tls = () => connectTls({ port: httpsPort, host: '127.0.0.1', rejectUnauthorized: false });
  const [silent, silentTls, unshaken] = [plain(httpPort), tls(), plain(httpsPort)];
  await Promise.all([once(silent, 'connect'), once(silentTls, 'session'), once(unshaken, 'connect')]);
  const idle = [await used(plain(httpPort)), await used(tls())];
  const halfSent = await used(tls(), health.slice(0, 20));
  await exchangeOn(tls(), requestBytes('GET', '/health')); // when this is answered, the bytes sent before have arrived
  const ends = [...idle, silent, silentTls, unshaken].map((socket) => once(socket.resume(), 'close'));
  service.child.kill('SIGTERM');
  await Promise.all(ends);
  for (const port of [httpPort, httpsPort]) await assert.rejects(request(port, 'GET', '/health'), { code: 'ECONNREFUSED' });

  const { replies, ended } = await exchangeOn(halfSent, health.slice(20));
  assert.deepEqual(replies.map(({ status, body, headers }) => [status, body, headers.at(-1)]), [[503, 'Unhealthy', 'Connection: close']]);
  assert.ok(ended);
  const { lines, code } = await service.ended();
  assert.deepEqual([lines.at(-1)?.message, lines.at(-1)?.['connectionsCut'], code], ['Stopped', 0, 0]);
});

test('while it drains, the service is unhealthy and still answers new connections, and every reply closes its connection', async (t) => {
  const service = spawnService(t, { PORT: '0', SHUTDOWN_DELAY_MS: '60000' });
  const port = portIn(await service.nextLine());
  const kept = await used(plain(port));
  service.child.kill('SIGTERM');
  assert.equal((await service.nextLine())['delayMs'], 60_000);
  const noStore = ['Cache-Control: no-store', 'X-Content-Type-Options: nosniff'];
  assert.deepEqual(await exchangeOn(kept, health), {
    replies: [{
      statusLine: 'HTTP/1.1 503 Service Unavailable',
      status: 503,
      headers: ['Content-Type: text/plain', 'Content-Length: 9', ...noStore, 'Date: now', 'Connection: close'],
      body: 'Unhealthy',
    }],
    ended: true,
  });
  const { replies, ended } = await exchangeOn(plain(port), requestBytes('GET', '/api/greetings', []));
  assert.deepEqual(replies.map(({ status, headers }) => [status, headers.at(-1)]), [[200, 'Connection: close']]);
  assert.ok(ended);
  service.child.kill('SIGINT');
  const { lines, code } = await service.ended();
  assert.deepEqual([lines.map(untimed), code], [[{ level: 'warn', message: 'Stopping at once on a second signal', signal: 'SIGINT' }], 1]);
});

test('at SHUTDOWN_TIMEOUT_MS incomplete requests are cut; those whose head had arrived are counted, and in the access log', async (t) => {
  const service = spawnService(t, { PORT: '0', ACCESS_LOG: 'true', SHUTDOWN_TIMEOUT_MS: '50' });
  const port = portIn(await service.nextLine());
  const withContent = `${requestBytes('GET', '/nope', ['Content-Length: 9'])}abc`;
  const sockets = [await used(plain(port), 'GET /half HT'), await used(plain(port), withContent)];
  const closed = sockets.map((socket) => new Promise((resolve) => socket.on('error', () => {}).resume().on('close', resolve)));
  await request(port, 'GET', '/health'); // when this is answered, the bytes sent before have arrived
  service.child.kill('SIGTERM');
  await Promise.all(closed);
  const { lines, code } = await service.ended();
  const seen = lines.filter(({ path }) => path !== '/health').map(({ path, aborted, connectionsCut }) => [path, aborted, connectionsCut]);
  assert.deepEqual([seen.slice(2), code], [[['/nope', true, undefined], [undefined, undefined, 1]], 0]);
});
