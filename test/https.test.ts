// Tests the process with TLS files. What TLS does to a connection is in server/tls.test.ts, what a file may be in host/tls-files.test.ts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { makeCertificate, temporaryFolder, type CertificateFiles } from './support/certificates.ts';
import { makePipe, openPipe } from './support/named-pipe.ts';
import { portIn, spawnService } from './support/process.ts';
import { exchangeOn, request, requestBytes } from './support/exchange.ts';

async function startWithTls(t: TestContext, { certFile, keyFile }: CertificateFiles, env: Readonly<Record<string, string>> = {}) {
  const service = spawnService(t, { PORT: '0', HTTPS_PORT: '0', TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, ...env });
  const first = await service.nextLine();
  const httpsPort = portIn(first.level === 'warn' ? await service.nextLine() : first);
  const httpPort = portIn(await service.nextLine());
  return { service, httpsPort, httpPort, warning: first.level === 'warn' ? first.message : undefined };
}

function tls(port: number): TLSSocket {
  return connectTls({ port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false });
}

async function commonName(port: number): Promise<string | undefined> {
  const socket = tls(port);
  await once(socket, 'secureConnect');
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return Array.isArray(CN) ? CN[0] : CN;
}

test('with certificate, key and port the service answers HTTPS, and plain HTTP is redirected to it', async (t) => {
  const files = makeCertificate(temporaryFolder(t), 'localhost');
  const { httpsPort, httpPort, service } = await startWithTls(t, files, { ALLOWED_HOSTS: 'localhost' });
  const { replies, ended } = await exchangeOn(tls(httpsPort), requestBytes('GET', '/health'));
  assert.deepEqual(replies, [{
    statusLine: 'HTTP/1.1 200 OK',
    status: 200,
    headers: ['Content-Type: text/plain', 'Content-Length: 7', 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff', 'Date: now', 'Connection: close'],
    body: 'Healthy',
  }]);
  assert.ok(ended);
  const other = await exchangeOn(tls(httpsPort), 'GET /health HTTP/1.1\r\nHost: other\r\n\r\n');
  assert.deepEqual(other.replies.map(({ status }) => status), [421], 'ALLOWED_HOSTS is for HTTPS, too');
  const absolute = await exchangeOn(tls(httpsPort), 'GET https://localhost/health HTTP/1.1\r\nHost: localhost:443\r\nConnection: close\r\n\r\n');
  assert.deepEqual(absolute.replies.map(({ status }) => status), [200]);
  const redirected = await request(httpPort, 'GET', '/api/greetings?name=Ada');
  assert.equal(redirected.status, 307);
  assert.equal(redirected.headers[0], `Location: https://localhost:${httpsPort}/api/greetings?name=Ada`);
  service.child.kill('SIGTERM');
  assert.equal((await service.ended()).code, 0);
});

test('an expired certificate is used, with a warning', async (t) => {
  const { httpsPort, warning } = await startWithTls(t, makeCertificate(temporaryFolder(t), 'localhost', [-2, -1]));
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

  const expired = makeCertificate(folder, 'expired', [-2, -1]);
  copyFileSync(expired.certFile, files.certFile);
  copyFileSync(expired.keyFile, files.keyFile);
  service.child.kill('SIGHUP');
  assert.equal((await service.nextLine()).message, 'The TLS certificate has expired.');
  assert.equal((await service.nextLine()).message, 'The TLS files have been read again.');
});

test('SIGHUP without TLS files changes nothing', async (t) => {
  const service = spawnService(t, { PORT: '0' });
  const port = portIn(await service.nextLine());
  service.child.kill('SIGHUP');
  const { level, message } = await service.nextLine();
  assert.deepEqual([level, message], ['info', 'There are no TLS files to read again.']);
  assert.equal((await request(port, 'GET', '/health')).status, 200);
});

test('SIGHUP during the start does not end the process, and afterwards the TLS files are read again', { skip: process.platform === 'win32' && 'there are no named pipes in the file system' }, async (t) => {
  const folder = temporaryFolder(t);
  const { certFile, keyFile } = makeCertificate(folder, 'localhost');
  const pipe = join(folder, 'pipe');
  makePipe(pipe);
  const service = spawnService(t, { PORT: '0', HTTPS_PORT: '0', TLS_CERT_FILE: certFile, TLS_KEY_FILE: pipe });
  const writer = await openPipe(pipe, service);
  renameSync(keyFile, pipe); // so that the service finds a key file there the second time
  service.child.kill('SIGHUP');
  await writer.writeFile(readFileSync(pipe));
  await writer.close();
  const messages = [await service.nextLine(), await service.nextLine(), await service.nextLine()].map((line) => line.message);
  assert.deepEqual(messages.sort(), ['Listening', 'Listening', 'The TLS files have been read again.']);
});
