// Tests HTTPS, with the TLS files of the service.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { makeCertificate, temporaryFolder, type CertificateFiles } from './support/certificates.ts';
import { portIn, spawnService } from './support/process.ts';
import { exchange, exchangeOn, request, requestBytes } from './support/wire.ts';

async function startWithTls(t: TestContext, { certFile, keyFile }: CertificateFiles, env: Readonly<Record<string, string>> = {}) {
  const service = spawnService(t, { PORT: '0', HTTPS_PORT: '0', TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, ...env });
  const first = await service.nextLine();
  const httpsPort = portIn(first.level === 'warn' ? await service.nextLine() : first);
  const httpPort = portIn(await service.nextLine());
  return { service, httpsPort, httpPort, warning: first.level === 'warn' ? first.message : undefined };
}

function tls(port: number, options: { maxVersion?: 'TLSv1.1' | 'TLSv1.2'; minVersion?: 'TLSv1'; allowHalfOpen?: boolean } = {}): TLSSocket {
  return connectTls({ port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false, ...options });
}

async function commonName(port: number): Promise<string | undefined> {
  const socket = tls(port);
  await once(socket, 'secureConnect');
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return Array.isArray(CN) ? CN[0] : CN;
}

test('with certificate, key and port the service answers HTTPS, and plain HTTP is redirected to it', async (t) => {
  const { httpsPort, httpPort, service } = await startWithTls(t, makeCertificate(temporaryFolder(t), 'localhost'));
  const { replies, ended } = await exchangeOn(tls(httpsPort), requestBytes('GET', '/health'));
  assert.deepEqual(replies, [{
    statusLine: 'HTTP/1.1 200 OK',
    status: 200,
    headers: ['Content-Type: text/plain', 'Content-Length: 7', 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff', 'Date: now', 'Connection: close'],
    body: 'Healthy',
  }]);
  assert.ok(ended);
  const redirected = await request(httpPort, 'GET', '/api/greetings?name=Ada');
  assert.equal(redirected.status, 307);
  assert.equal(redirected.headers[0], `Location: https://localhost:${httpsPort}/api/greetings?name=Ada`);
  service.child.kill('SIGTERM');
  assert.equal((await service.ended()).code, 0);
});

test('the same rules hold over TLS', async (t) => {
  const { httpsPort } = await startWithTls(t, makeCertificate(temporaryFolder(t), 'localhost'), { ALLOWED_HOSTS: 'localhost' });
  for (const [bytes, statuses] of [
    ['GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n', [400]],
    ['GET /health HTTP/1.1\r\nHost: other\r\n\r\n', [421]],
    [`${requestBytes('GET', '/nope', [])}nonsense\r\n\r\n`, [404, 400]],
    ['GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65537\r\n\r\n', [413]],
  ] as const) {
    const { replies, ended } = await exchangeOn(tls(httpsPort), bytes);
    assert.deepEqual(replies.map((reply) => reply.status), statuses);
    assert.ok(ended);
  }
});

test('over TLS, too, every reply arrives, also when many wait or when the client has ended its side', async (t) => {
  const { httpsPort } = await startWithTls(t, makeCertificate(temporaryFolder(t), 'localhost'));
  const all = requestBytes('GET', '/api/greetings', []).repeat(2000);
  const asked = await exchangeOn(tls(httpsPort), all + requestBytes('GET', '/health'));
  assert.deepEqual(asked.replies.map((reply) => reply.status), Array.from({ length: 2001 }, () => 200));
  const socket = tls(httpsPort, { allowHalfOpen: true });
  const ended = exchangeOn(socket, all);
  socket.end();
  assert.deepEqual((await ended).replies.map((reply) => reply.status), Array.from({ length: 2000 }, () => 200));
});

test('the stop does not wait for a client that disconnects at the end of its handshake', async (t) => {
  const { service, httpsPort } = await startWithTls(t, makeCertificate(temporaryFolder(t), 'localhost'), { SHUTDOWN_TIMEOUT_MS: '86400000' });
  const socket = tls(httpsPort);
  await once(socket, 'secureConnect');
  socket.destroy();
  service.child.kill('SIGTERM');
  assert.equal((await service.ended()).code, 0);
});

test('TLS 1.2 and TLS 1.3 are accepted, TLS 1.1 is not', async (t) => {
  const { httpsPort } = await startWithTls(t, makeCertificate(temporaryFolder(t), 'localhost'));
  const latest = tls(httpsPort);
  const tls12 = tls(httpsPort, { maxVersion: 'TLSv1.2' });
  await Promise.all([once(latest, 'secureConnect'), once(tls12, 'secureConnect')]);
  assert.deepEqual([latest.getProtocol(), tls12.getProtocol()], ['TLSv1.3', 'TLSv1.2']);
  latest.destroy();
  tls12.destroy();
  await assert.rejects(once(tls(httpsPort, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }), 'secureConnect'));
});

test('connections of a TLS client to the HTTP port and of a plain client to the HTTPS port are closed', async (t) => {
  const { service, httpsPort, httpPort } = await startWithTls(t, makeCertificate(temporaryFolder(t), 'localhost'));
  await assert.rejects(once(tls(httpPort), 'secureConnect'));
  const { replies } = await exchange(httpsPort, requestBytes('GET', '/health'));
  assert.deepEqual(replies, []);
  assert.equal((await exchangeOn(tls(httpsPort), requestBytes('GET', '/health'))).replies[0]?.status, 200);
  const silent = connect({ port: httpsPort, host: '127.0.0.1' });
  await once(silent, 'connect');
  silent.destroy();
  service.child.kill('SIGTERM');
  const { lines, code } = await service.ended();
  assert.deepEqual(lines.map((line) => line.message), [
    'Stopping',
    'Closing: no new connections, waiting for requests in progress',
    'Illegal requests were refused in the last minute.',
    'Stopped',
  ], 'no line is an error of the service');
  assert.equal(code, 0);
});

test('files that cannot be used prevent the start, with one line and exit code 78', async (t) => {
  const { certFile } = makeCertificate(temporaryFolder(t), 'localhost');
  const { lines, code } = await spawnService(t, { PORT: '0', HTTPS_PORT: '0', TLS_CERT_FILE: certFile, TLS_KEY_FILE: '/no/such' }).ended();
  assert.equal(lines.length, 1);
  assert.deepEqual([lines[0]?.level, lines[0]?.message], ['error', 'The service cannot start.']);
  assert.match(String(lines[0]?.['reason']), /^TLS_KEY_FILE is "\/no\/such", but must be a readable file/);
  assert.equal(code, 78);
});

test('an expired certificate is used, with a warning', async (t) => {
  const { httpsPort, warning } = await startWithTls(t, makeCertificate(temporaryFolder(t), 'localhost', -1));
  assert.equal(warning, 'The TLS certificate has expired.');
  assert.equal(await commonName(httpsPort), 'localhost');
});

test('on SIGHUP the files are read again and no connection is closed; wrong files are not used', async (t) => {
  const folder = temporaryFolder(t);
  const files = makeCertificate(folder, 'old');
  const { service, httpsPort } = await startWithTls(t, files);
  const kept = tls(httpsPort);
  kept.write(requestBytes('GET', '/health', []));
  await once(kept, 'data');
  assert.equal(await commonName(httpsPort), 'old');

  const renewed = makeCertificate(folder, 'new');
  copyFileSync(renewed.certFile, files.certFile);
  service.child.kill('SIGHUP');
  const refused = await service.nextLine();
  assert.deepEqual([refused.level, refused.message], ['error', 'The TLS files could not be read again; the previous ones stay in use.']);
  assert.match(JSON.stringify(refused['error']), /the private key of the certificate/);
  assert.equal(await commonName(httpsPort), 'old');

  copyFileSync(renewed.keyFile, files.keyFile);
  service.child.kill('SIGHUP');
  const reloaded = await service.nextLine();
  assert.deepEqual([reloaded.level, reloaded.message], ['info', 'The TLS files have been read again.']);
  assert.equal(await commonName(httpsPort), 'new');

  writeFileSync(files.certFile, '');
  service.child.kill('SIGHUP');
  assert.equal((await service.nextLine()).level, 'error');
  assert.equal(await commonName(httpsPort), 'new');
  const { replies } = await exchangeOn(kept, requestBytes('GET', '/health'));
  assert.deepEqual(replies.map((reply) => reply.body), ['Healthy'], 'the first connection is still served');
});
