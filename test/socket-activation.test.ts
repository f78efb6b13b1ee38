// Tests the service on sockets that a supervisor hands over, as sd_listen_fds(3) defines it. Names, counts and ports are in
// host/handed-sockets.test.ts and host/configuration.test.ts; HTTPS, and the redirect to it, are in permission.test.ts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeCertificate, temporaryFolder } from './support/certificates.ts';
import { datagramSocket, listeningSocket, NO_DESCRIPTORS } from './support/descriptors.ts';
import { ENTRY, spawnService } from './support/process.ts';
import { exchangeOn, request, requestBytes } from './support/exchange.ts';

const only = { skip: NO_DESCRIPTORS };

test('a Unix socket for HTTPS has no port, so plain HTTP next to it needs HTTPS_REDIRECT_PORT', only, async (t) => {
  const path = join(temporaryFolder(t), 'https.sock');
  const [https, http] = [await listeningSocket(t, path), await listeningSocket(t)];
  const { certFile, keyFile } = makeCertificate(temporaryFolder(t), 'localhost');
  const env = { LISTEN_FDNAMES: 'https:http', TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
  const { lines, code } = await spawnService(t, env, [], [https.fd, http.fd]).ended();
  const reason = 'HTTPS_REDIRECT_PORT must be set to the port that clients see: the socket for HTTPS has no port.';
  assert.deepEqual([lines.map((line) => line['reason']), code], [[reason], 78]);
  assert.equal((await spawnService(t, { ...env, LISTEN_FDNAMES: 'https' }, [], [https.fd]).nextLine())['address'], 'descriptor 3');
});

test('while it drains, the service leaves new connections to other processes on the same socket', only, async (t) => {
  const socket = await listeningSocket(t);
  const other = spawnService(t, {}, [], [socket.fd]);
  await other.nextLine();
  other.child.kill('SIGSTOP'); // until then the kernel may give it a connection
  const service = spawnService(t, { SHUTDOWN_DELAY_MS: '60000' }, [], [socket.fd]);
  socket.giveUp();
  await service.nextLine();
  const kept = [0, 1].map(() => connect({ port: socket.port, host: '127.0.0.1' }));
  for (const one of kept) await Promise.all([once(one, 'data'), one.write(requestBytes('GET', '/health', []))]);
  service.child.kill('SIGTERM');
  await service.nextLine();
  const reply = request(socket.port, 'GET', '/health');
  for (const one of kept) { // when the second reply has arrived, the service has seen the new connection, too
    const { replies } = await exchangeOn(one, requestBytes('GET', '/health'));
    assert.deepEqual(replies.map(({ body }) => body), ['Unhealthy']);
  }
  other.child.kill('SIGCONT');
  assert.equal((await reply).body, 'Healthy');
});

test('each descriptor that is not a listening stream socket is a mistake, also one that Node has opened', only, async (t) => {
  const file = openSync(ENTRY, 'r');
  t.after(() => closeSync(file));
  const { fd } = await listeningSocket(t);
  const { lines, code } = await spawnService(t, { LISTEN_FDS: '64' }, [], [file, fd, await datagramSocket(t)]).ended();
  const said = /^Cannot listen on descriptor (\d+), which LISTEN_FDS hands over: it must be a listening stream socket \((.*)\)\.$/;
  const reasons = lines.map(({ reason }) => said.exec(String(reason))?.slice(1));
  assert.deepEqual(reasons.map((reason) => Number(reason?.[0])), [3, 5, ...Array.from({ length: 61 }, (_, i) => i + 6)]);
  assert.deepEqual([reasons[0]?.[1], reasons[1]?.[1]?.slice(0, 20), code], ['Error: it is not a socket', 'Error: listen EINVAL', 78]);
});
