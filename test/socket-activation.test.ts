// Tests the service on sockets that a supervisor hands over, as sd_listen_fds(3) defines it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { freePorts } from './tools/fleet/free-ports.ts';
import { makeCertificate, temporaryFolder } from './support/certificates.ts';
import { connectedSocket, datagramSocket, listeningSocket, NO_DESCRIPTORS, type ListeningSocket } from './support/descriptors.ts';
import { addressIn, ENTRY, portIn, spawnProcess, spawnService, spawnWithSockets, type ServiceProcess } from './support/process.ts';
import { exchangeOn, request, requestBytes } from './support/exchange.ts';

const only = { skip: NO_DESCRIPTORS };

function tlsFiles(t: TestContext) {
  const { certFile, keyFile } = makeCertificate(temporaryFolder(t), 'localhost');
  return { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
}

async function health(socket: Socket): Promise<string[]> {
  const { replies } = await exchangeOn(socket, requestBytes('GET', '/health'));
  return replies.map(({ status, body }) => `${status} ${body}`);
}

/** Starts the service on `sockets`. This process stops listening on them. */
function handOver(t: TestContext, sockets: readonly ListeningSocket[], env: Readonly<Record<string, string>> = {}): ServiceProcess {
  const service = spawnWithSockets(t, sockets.map(({ fd }) => fd), env);
  for (const { giveUp } of sockets) giveUp();
  return service;
}

test('the service listens on a TCP socket that is handed over, instead of HOST and PORT', only, async (t) => {
  const socket = await listeningSocket(t);
  const service = handOver(t, [socket], { HOST: '192.0.2.1', PORT: '1', NODE_ENV: 'Production' });
  const { time, ...line } = await service.nextLine();
  assert.deepEqual(line, { level: 'info', message: 'Listening', address: `http://127.0.0.1:${socket.port}`, environment: 'Production' });
  assert.equal((await request(socket.port, 'GET', '/health')).body, 'Healthy');
  service.child.kill('SIGTERM');
  assert.equal((await service.ended()).code, 0);
});

test('the service listens on a Unix socket; the log has its descriptor and its name, and a line of the access log has no address', only, async (t) => {
  const path = join(temporaryFolder(t), 'greeting.sock');
  const service = handOver(t, [await listeningSocket(t, path)], { LISTEN_FDNAMES: 'greeting.socket', ACCESS_LOG: 'true' });
  const { time: start, ...listening } = await service.nextLine();
  assert.deepEqual(listening, { level: 'info', message: 'Listening', address: 'descriptor 3', name: 'greeting.socket', environment: null });
  assert.deepEqual(await health(connect({ path })), ['200 Healthy']);
  const { time, durationMs, traceId, ...line } = await service.nextLine();
  assert.deepEqual(line, { level: 'info', message: 'Request', method: 'GET', path: '/health', status: 200 });
});

test('a socket named https uses TLS, and plain sockets redirect to the port of that socket', only, async (t) => {
  const [http, https] = [await listeningSocket(t), await listeningSocket(t)];
  const service = handOver(t, [http, https], { LISTEN_FDNAMES: 'http:https', ...tlsFiles(t) });
  const lines = [await service.nextLine(), await service.nextLine()];
  assert.deepEqual(lines.map(({ address, name }) => [address, name]), [[`https://127.0.0.1:${https.port}`, 'https'], [`http://127.0.0.1:${http.port}`, 'http']]);
  assert.deepEqual(await health(connectTls({ port: https.port, host: '127.0.0.1', rejectUnauthorized: false })), ['200 Healthy']);
  const { status, headers } = await request(http.port, 'GET', '/health');
  assert.deepEqual([status, headers[0]], [307, `Location: https://localhost:${https.port}/health`]);
});

test('plain sockets redirect to HTTPS_REDIRECT_PORT, or else to HTTPS_PORT, also without TLS', only, async (t) => {
  for (const [env, location] of [
    [{ HTTPS_PORT: '8443' }, 'https://localhost:8443/health'],
    [{ HTTPS_PORT: '8443', HTTPS_REDIRECT_PORT: '443' }, 'https://localhost/health'],
  ] as const) {
    const socket = await listeningSocket(t);
    await handOver(t, [socket], env).nextLine();
    assert.equal((await request(socket.port, 'GET', '/health')).headers[0], `Location: ${location}`);
  }
});

test('a Unix socket for HTTPS has no port, so plain HTTP beside it needs HTTPS_REDIRECT_PORT', only, async (t) => {
  const path = join(temporaryFolder(t), 'https.sock');
  const [https, http] = [await listeningSocket(t, path), await listeningSocket(t)];
  const env = { LISTEN_FDNAMES: 'https:http', ...tlsFiles(t) };
  const { lines, code } = await spawnWithSockets(t, [https.fd, http.fd], env).ended();
  const reason = 'Plain HTTP is redirected, and the socket for HTTPS has no port: HTTPS_REDIRECT_PORT must be set to the port that clients see.';
  assert.deepEqual([lines.map((line) => line['reason']), code], [[reason], 78]);

  const alone = spawnWithSockets(t, [https.fd], { ...env, LISTEN_FDNAMES: 'https' });
  assert.equal(addressIn(await alone.nextLine()), 'descriptor 3');
  alone.child.kill('SIGTERM');
  await alone.ended();

  const service = handOver(t, [https, http], { ...env, HTTPS_REDIRECT_PORT: '443' });
  assert.equal(addressIn(await service.nextLine()), 'descriptor 3');
  await service.nextLine();
  assert.deepEqual(await health(connectTls({ path, rejectUnauthorized: false })), ['200 Healthy']);
  assert.equal((await request(http.port, 'GET', '/')).headers[0], 'Location: https://localhost/');
});

test('several processes may have the same socket, and every connection is served while one of them is left', only, async (t) => {
  const socket = await listeningSocket(t);
  const first = spawnWithSockets(t, [socket.fd], {});
  const second = handOver(t, [socket]);
  await Promise.all([first.nextLine(), second.nextLine()]);
  for (let i = 0; i < 20; i++) assert.equal((await request(socket.port, 'GET', '/health')).body, 'Healthy');
  first.child.kill('SIGTERM');
  assert.equal((await first.ended()).code, 0);
  for (let i = 0; i < 20; i++) assert.equal((await request(socket.port, 'GET', '/health')).body, 'Healthy');
});

test('while it drains, the service leaves new connections to other processes on the same socket', { ...only, timeout: 30_000 }, async (t) => {
  const socket = await listeningSocket(t);
  const other = spawnWithSockets(t, [socket.fd], {});
  await other.nextLine();
  other.child.kill('SIGSTOP'); // until then the kernel may give it a connection
  try {
    const service = handOver(t, [socket], { SHUTDOWN_DELAY_MS: '60000' });
    await service.nextLine();
    const kept = connect({ port: socket.port, host: '127.0.0.1' });
    kept.write(requestBytes('GET', '/health', []));
    await once(kept, 'data');
    service.child.kill('SIGTERM');
    await service.nextLine();
    const reply = request(socket.port, 'GET', '/health');
    assert.deepEqual(await health(kept), ['503 Unhealthy'], 'when this has arrived, the service has seen the new connection, too');
    other.child.kill('SIGCONT');
    assert.equal((await reply).body, 'Healthy');
    service.child.kill('SIGINT');
    assert.equal((await service.ended()).code, 1);
  } finally {
    other.child.kill('SIGCONT');
  }
});

test('each descriptor that is not a listening stream socket is reported in a sentence, with exit code 78', only, async (t) => {
  const file = openSync(ENTRY, 'r');
  t.after(() => closeSync(file));
  const { fd } = await listeningSocket(t);
  const handed = [file, await connectedSocket(t), fd, await datagramSocket(t), 'ignore'] as const;
  const { lines, code } = await spawnWithSockets(t, handed, { LISTEN_FDS: '6' }).ended();
  assert.deepEqual(
    // The last descriptor is closed, or node uses it.
    lines.map(({ level, message, reason }) => [level, message, String(reason).replace(/EINVAL: .*\)/, '…)')]),
    [[3, 'it is not a socket'], [4, 'listen …'], [6, 'listen …'], [7, 'it is not a socket'], [8, 'it is not a socket']].map(([number, error]) => [
      'error',
      'The service cannot start.',
      `Cannot listen on descriptor ${number}, which LISTEN_FDS hands over: it must be a listening stream socket (Error: ${error}).`,
    ]),
  );
  assert.equal(code, 78);
});

test('a LISTEN_FDS that is too large is reported for each descriptor, also when node has opened it', only, async (t) => {
  const { lines, code } = await spawnWithSockets(t, [(await listeningSocket(t)).fd], { LISTEN_FDS: '64' }).ended();
  const descriptors = lines.map(({ reason }) => Number(/^Cannot listen on descriptor (\d+), .* \(Error: .+\)\.$/.exec(String(reason))?.[1]));
  assert.deepEqual([descriptors, code], [Array.from({ length: 63 }, (_, i) => i + 4), 78]);
});

test('variables for another process are ignored', async (t) => {
  const service = spawnService(t, { PORT: '0', LISTEN_PID: '1', LISTEN_FDS: 'x', LISTEN_FDNAMES: 'ftp' });
  assert.equal((await request(portIn(await service.nextLine()), 'GET', '/health')).body, 'Healthy');
});

const ACTIVATE = 'systemd-socket-activate';
const notInstalled = spawnSync(ACTIVATE, ['--version']).error === undefined ? false : `${ACTIVATE} is not installed`;

/** Tries to connect until a process listens. */
async function connected(options: { port: number; host: string } | { path: string }): Promise<Socket> {
  for (;;) {
    const socket = connect(options);
    const result = await new Promise<unknown>((resolve) => socket.once('connect', () => resolve(undefined)).once('error', resolve));
    if (result === undefined) return socket;
  }
}

/** Starts `systemd-socket-activate`, which starts the service when the first connection arrives. */
function spawnActivated(t: TestContext, address: string, env: Readonly<Record<string, string>> = {}, flags: readonly string[] = []) {
  const variables = Object.entries(env).map(([name, value]) => `--setenv=${name}=${value}`);
  const { PATH = '' } = process.env;
  return spawnProcess(t, [ACTIVATE, `--listen=${address}`, ...flags, ...variables, process.execPath, ENTRY], { PATH, SYSTEMD_LOG_LEVEL: 'err' });
}

test(`${ACTIVATE} starts the service on a TCP port`, { skip: notInstalled }, async (t) => {
  const [port = 0] = await freePorts(1);
  const service = spawnActivated(t, `127.0.0.1:${port}`);
  assert.deepEqual(await health(await connected({ port, host: '127.0.0.1' })), ['200 Healthy']);
  assert.equal(addressIn(await service.nextLine()), `http://127.0.0.1:${port}`);
});

test(`${ACTIVATE} starts the service on a Unix socket`, { skip: notInstalled }, async (t) => {
  const path = join(temporaryFolder(t), 'greeting.sock');
  const service = spawnActivated(t, path);
  assert.deepEqual(await health(await connected({ path })), ['200 Healthy']);
  const { address, name } = await service.nextLine();
  assert.deepEqual([address, name], ['descriptor 3', undefined]);
});

test(`${ACTIVATE} starts the service with TLS on a socket named https`, { skip: notInstalled }, async (t) => {
  const [port = 0] = await freePorts(1);
  const service = spawnActivated(t, `127.0.0.1:${port}`, tlsFiles(t), ['--fdname=https']);
  const socket = connectTls({ socket: await connected({ port, host: '127.0.0.1' }), rejectUnauthorized: false });
  assert.deepEqual(await health(socket), ['200 Healthy']);
  assert.equal(addressIn(await service.nextLine()), `https://127.0.0.1:${port}`);
});
