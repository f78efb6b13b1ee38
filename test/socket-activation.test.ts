// Tests the service on sockets that a supervisor hands over, as sd_listen_fds(3) defines it. Names, counts and ports are in
// host/handed-sockets.test.ts and host/configuration.test.ts; plain HTTP on a Unix socket and a TCP socket is in permission.test.ts.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { makeCertificate, temporaryFolder } from './support/certificates.ts';
import { datagramSocket, listeningSocket, NO_DESCRIPTORS, type ListeningSocket } from './support/descriptors.ts';
import { ENTRY, serviceCommand, spawnProcess, spawnWithSockets, untimed, type Environment } from './support/process.ts';
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
function handOver(t: TestContext, sockets: readonly ListeningSocket[], env: Environment) {
  const service = spawnWithSockets(t, sockets.map(({ fd }) => fd), env);
  for (const { giveUp } of sockets) giveUp();
  return service;
}

test('a socket named https uses TLS, and plain sockets redirect to the port of that socket', only, async (t) => {
  const path = join(temporaryFolder(t), 'greeting.sock');
  const [unix, https] = [await listeningSocket(t, path), await listeningSocket(t)];
  const env = { HOST: '192.0.2.1', PORT: '1', LISTEN_FDNAMES: 'greeting.socket:https', ACCESS_LOG: 'true', ...tlsFiles(t) };
  const service = handOver(t, [unix, https], env);
  const listening = { level: 'info', message: 'Listening', environment: null };
  const address = `https://127.0.0.1:${https.port}`;
  assert.deepEqual(untimed(await service.nextLine()), { ...listening, address, name: 'https' });
  assert.deepEqual(untimed(await service.nextLine()), { ...listening, address: 'descriptor 3', name: 'greeting.socket' });
  const { replies } = await exchangeOn(connect({ path }), requestBytes('GET', '/health'));
  assert.deepEqual(replies.map(({ headers }) => headers[0]), [`Location: https://localhost:${https.port}/health`]);
  const { durationMs, traceId, ...line } = untimed(await service.nextLine());
  assert.deepEqual(line, { level: 'info', message: 'Request', method: 'GET', path: '/health', status: 307 }); // no remoteAddress
  assert.deepEqual(await health(connectTls({ port: https.port, host: '127.0.0.1', rejectUnauthorized: false })), ['200 Healthy']);
});

test('a Unix socket for HTTPS has no port, so plain HTTP beside it needs HTTPS_REDIRECT_PORT', only, async (t) => {
  const path = join(temporaryFolder(t), 'https.sock');
  const [https, http] = [await listeningSocket(t, path), await listeningSocket(t)];
  const env = { LISTEN_FDNAMES: 'https:http', ...tlsFiles(t) };
  const { lines, code } = await spawnWithSockets(t, [https.fd, http.fd], env).ended();
  const reason = 'HTTPS_REDIRECT_PORT must be set to the port that clients see: the socket for HTTPS has no port.';
  assert.deepEqual([lines.map((line) => line['reason']), code], [[reason], 78]);
  assert.equal((await handOver(t, [https], { ...env, LISTEN_FDNAMES: 'https' }).nextLine())['address'], 'descriptor 3');

  await handOver(t, [http], { HTTPS_REDIRECT_PORT: '443' }).nextLine();
  assert.equal((await request(http.port, 'GET', '/')).headers[0], 'Location: https://localhost/');
});

test('while it drains, the service leaves new connections to other processes on the same socket', only, async (t) => {
  const socket = await listeningSocket(t);
  const other = spawnWithSockets(t, [socket.fd], {});
  await other.nextLine();
  other.child.kill('SIGSTOP'); // until then the kernel may give it a connection
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
});

test('each descriptor that is not a listening stream socket is a mistake, also one that Node has opened', only, async (t) => {
  const file = openSync(ENTRY, 'r');
  t.after(() => closeSync(file));
  const { fd } = await listeningSocket(t);
  const { lines, code } = await spawnWithSockets(t, [file, fd, await datagramSocket(t)], { LISTEN_FDS: '64' }).ended();
  const said = /^Cannot listen on descriptor (\d+), which LISTEN_FDS hands over: it must be a listening stream socket \((.*)\)\.$/;
  const reasons = lines.map(({ reason }) => said.exec(String(reason))?.slice(1));
  assert.deepEqual(reasons.map((reason) => Number(reason?.[0])), [3, 5, ...Array.from({ length: 61 }, (_, i) => i + 6)]);
  assert.deepEqual([reasons[0]?.[1], reasons[1]?.[1]?.slice(0, 20), code], ['Error: it is not a socket', 'Error: listen EINVAL', 78]);
});

const ACTIVATE = 'systemd-socket-activate';
const notInstalled = spawnSync(ACTIVATE, ['--version']).error === undefined ? false : `${ACTIVATE} is not installed`;

test(`${ACTIVATE} starts the service with TLS on a Unix socket named https`, { skip: notInstalled }, async (t) => {
  const path = join(temporaryFolder(t), 'greeting.sock');
  const { PATH = '' } = process.env;
  const variables = Object.entries(tlsFiles(t)).map(([name, value]) => `--setenv=${name}=${value}`);
  const command = [ACTIVATE, `--listen=${path}`, '--fdname=https', ...variables, ...serviceCommand()];
  const service = spawnProcess(t, command, { PATH, SYSTEMD_LOG_LEVEL: 'err' });
  assert.deepEqual(await health(connectTls({ socket: await connected(t, path), rejectUnauthorized: false })), ['200 Healthy']);
  const { address, name } = await service.nextLine();
  assert.deepEqual([address, name], ['descriptor 3', 'https']);
});

/** Tries to connect until a process listens, or the test is over. No event shows from outside when it does. */
async function connected(t: TestContext, path: string): Promise<Socket> {
  for (;; await delay(10, undefined, { signal: t.signal })) {
    const socket = connect({ path });
    if (await once(socket, 'connect').catch(() => undefined) !== undefined) return socket;
  }
}
