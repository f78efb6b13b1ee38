// Tests the service on sockets that a supervisor hands over, as sd_listen_fds(3) defines it. Names, counts and ports are in
// host/handed-sockets.test.ts and host/configuration.test.ts; HTTPS, and the redirect to it, are in permission.test.ts.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder, tlsVariables } from './support/certificates.ts';
import { descriptorOpenedBy, listeningSocket, NO_DESCRIPTORS } from './support/descriptors.ts';
import { ENTRY, spawnService } from './support/process.ts';
import { exchangeOn, request, requestBytes } from './support/exchange.ts';

const only = { skip: NO_DESCRIPTORS };

test('each descriptor that is no listening stream socket is a mistake, and so is HTTPS on a Unix socket beside HTTP', only, async (t) => {
  const file = openSync(ENTRY, 'r'), udp = createSocket('udp4');
  t.after(() => { closeSync(file); udp.close(); });
  const datagrams = await descriptorOpenedBy(() => once(udp.bind(0, '127.0.0.1'), 'listening'));
  const [https, http] = [await listeningSocket(t, join(temporaryFolder(t), 'https.sock')), await listeningSocket(t)];
  const names = ['https', ...Array.from({ length: 63 }, () => 'http')];
  const env = { ...tlsVariables(), LISTEN_FDS: '64', LISTEN_FDNAMES: names.join(':') }; // 60 more, of which Node has opened some
  const { lines, code } = await spawnService(t, env, [], [https.fd, file, http.fd, datagrams]).ended();
  const [first, ...others] = lines.map(({ reason }) => String(reason));
  assert.equal(first, 'HTTPS_REDIRECT_PORT must be set to the port that clients see: the socket for HTTPS has no port.');
  const said = /^Cannot listen on descriptor (\d+), which LISTEN_FDS hands over: it must be a listening stream socket \((.*)\)\.$/;
  const reasons = others.map((reason) => said.exec(reason)?.slice(1));
  assert.deepEqual(reasons.map((reason) => Number(reason?.[0])), [4, 6, ...Array.from({ length: 60 }, (_, i) => i + 7)]);
  assert.deepEqual([reasons[0]?.[1], reasons[1]?.[1]?.slice(0, 20), code], ['Error: it is not a socket', 'Error: listen EINVAL', 78]);
  const alone = spawnService(t, { ...env, LISTEN_FDS: '1', LISTEN_FDNAMES: 'https' }, [], [https.fd]);
  assert.equal((await alone.nextLine())['address'], 'descriptor 3');
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
