// Tests the process with TLS files. What TLS does to a connection is in server/tls.test.ts, what a file may be in host/tls-files.test.ts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { makeCertificate, temporaryFolder } from './support/certificates.ts';
import { exchangeOn, request, requestBytes } from './support/exchange.ts';
import { portIn, spawnService } from './support/process.ts';

for (const SERVER of ['strict', 'node']) {
  test(`${SERVER}: HTTPS is served, and redirected to; SIGHUP reads the files again; no signal closes a connection`, async (t) => {
    const folder = temporaryFolder(t);
    const { certFile, keyFile } = makeCertificate(folder, 'old');
    const service = spawnService(t, {
      SERVER, PORT: '0', HTTPS_PORT: '0', TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, ALLOWED_HOSTS: 'localhost',
      SHUTDOWN_DELAY_MS: '60000',
    });
    const [httpsPort, httpPort] = [portIn(await service.nextLine()), portIn(await service.nextLine())];
    const offer = { servername: 'localhost', ALPNProtocols: ['http/1.1'], rejectUnauthorized: false };
    const tls = () => connectTls({ port: httpsPort, host: '127.0.0.1', ...offer });

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
      [() => copyFileSync(renewed.keyFile, keyFile), 'renewed', ['warn', 'The TLS certificate has expired.'], REREAD],
    ] as const) {
      change();
      service.child.kill('SIGHUP');
      for (const line of lines) {
        const { level, message, error } = await service.nextLine();
        assert.deepEqual([level, message, error !== undefined], [...line, line === REFUSED]);
      }
      const socket = tls();
      await once(socket, 'secureConnect');
      assert.deepEqual([socket.getPeerCertificate().subject.CN, socket.alpnProtocol], [name, 'http/1.1']);
      socket.destroy();
    }
    service.child.kill('SIGTERM');
    assert.equal((await service.nextLine())['delayMs'], 60_000);
    for (const socket of [tls(), kept]) { // the port is still listened on, and the first connection is still served
      const { replies } = await exchangeOn(socket, requestBytes('GET', '/health', []));
      assert.deepEqual(replies.map(({ body, headers }) => [body, headers.at(-1)]), [['Unhealthy', 'Connection: close']]);
    }
  });
}
