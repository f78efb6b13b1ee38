// Tests the process with TLS files. What TLS does to a connection is in server/tls.test.ts, what a file may be in host/tls-files.test.ts.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, renameSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { makeCertificate, temporaryFolder } from './support/certificates.ts';
import { exchangeOn, request, requestBytes } from './support/exchange.ts';
import { portIn, spawnService } from './support/process.ts';

async function commonName(socket: TLSSocket): Promise<unknown> {
  await once(socket, 'secureConnect');
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return CN;
}

test('the service answers HTTPS, and redirects plain HTTP to it; SIGHUP reads the files again, and closes no connection', async (t) => {
  const folder = temporaryFolder(t);
  const { certFile, keyFile } = makeCertificate(folder, 'old');
  // The service waits until something is written to this pipe. Then a key file is in its place.
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const service = spawnService(t, { PORT: '0', HTTPS_PORT: '0', TLS_CERT_FILE: certFile, TLS_KEY_FILE: pipe, ALLOWED_HOSTS: 'localhost' });
  // If the service ends before it opens the pipe, this opens both sides, so that the next line does not wait for ever.
  service.child.once('exit', () => void open(pipe, 'r+').then((handle) => handle.close(), () => {}));
  const writer = await open(pipe, 'w');
  renameSync(keyFile, pipe);
  service.child.kill('SIGHUP');
  await writer.writeFile(readFileSync(pipe));
  await writer.close();
  const first = [await service.nextLine(), await service.nextLine(), await service.nextLine()];
  assert.deepEqual(first.map(({ message }) => message).sort(), ['Listening', 'Listening', 'The TLS files have been read again.']);
  const [httpsPort = 0, httpPort = 0] = first.filter(({ message }) => message === 'Listening').map(portIn);
  const tls = () => connectTls({ port: httpsPort, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false });

  for (const [host, status] of [['localhost', 200], ['other', 421]] as const) {
    const { replies } = await exchangeOn(tls(), `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    assert.deepEqual(replies.map((reply) => reply.status), [status], 'ALLOWED_HOSTS is for HTTPS, too');
  }
  const redirected = await request(httpPort, 'GET', '/api/greetings?name=Ada');
  assert.deepEqual([redirected.status, redirected.headers[0]], [307, `Location: https://localhost:${httpsPort}/api/greetings?name=Ada`]);

  const kept = tls();
  kept.write(requestBytes('GET', '/health', []));
  await once(kept, 'data');
  const renewed = makeCertificate(folder, 'renewed', [-2, -1]);
  const REREAD = ['info', 'The TLS files have been read again.'];
  const REFUSED = ['error', 'The TLS files could not be read again; the previous ones stay in use.'];
  for (const [change, name, ...lines] of [
    [() => copyFileSync(renewed.certFile, certFile), 'old', REFUSED],
    [() => copyFileSync(renewed.keyFile, pipe), 'renewed', ['warn', 'The TLS certificate has expired.'], REREAD],
  ] as const) {
    change();
    service.child.kill('SIGHUP');
    for (const line of lines) {
      const { level, message } = await service.nextLine();
      assert.deepEqual([level, message], line);
    }
    assert.equal(await commonName(tls()), name);
  }
  const { replies } = await exchangeOn(kept, requestBytes('GET', '/health'));
  assert.deepEqual(replies.map((reply) => reply.body), ['Healthy'], 'the first connection is still served');
});
