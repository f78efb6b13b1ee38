// Tests the process with TLS: with files of its own, and as the image and systemd start it, with flags and sockets that
// are handed over, as sd_listen_fds(3) defines it. What a file may be is in host/tls-files.test.ts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { makeCertificate, temporaryFolder, tlsVariables } from './support/certificates.ts';
import { listeningSocket, NO_DESCRIPTORS } from './support/descriptors.ts';
import { exchangeOn, request, requestBytes } from './support/exchange.ts';
import { importing, portIn, spawnService, untimed } from './support/process.ts';

const TLS = tlsVariables();
const application = fileURLToPath(new URL('..', import.meta.url)); // of the compiled service, or of the sources
const root = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '..' : '../..', import.meta.url));
const [, entryPoint = ''] = /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? [];
const ofImage: readonly string[] = JSON.parse(entryPoint).slice(1, -1);

/** Whether this line of Node has a flag, or its opposite. */
const hasFlag = (flag: string) =>
  process.allowedNodeEnvironmentFlags.has(flag.replace(/=.*/, '').replace('--no-', '--'));

/** The flags of the Dockerfile that this Node has, with our folders for those of the image. Coverage may be written. */
function flags(): string[] {
  const { NODE_V8_COVERAGE: coverage } = process.env;
  const own = ofImage.map((flag) => flag.replace('/app/', application).replace('/tls/', dirname(TLS.TLS_CERT_FILE)))
    .map((flag) => (flag === '--permission' && !hasFlag(flag) ? '--experimental-permission' : flag)); // Node 20
  const ofTest = ['--allow-net', `--allow-fs-read=${join(root, 'package.json')}`, `--allow-fs-write=${coverage}/`];
  return [...own, ...ofTest].filter(hasFlag);
}

/** Prints, in the form of a log line, what each attempt has come to. */
const PROBE = importing(`
  const outcomes = {};
  for (const [name, attempt] of Object.entries({
    proto: async () => Object.hasOwn(Object.prototype, '__proto__') || Promise.reject({ code: 'deleted' }),
    sqlite: () => import('node:sqlite'),
    write: async () => (await import('node:fs')).writeFileSync(${JSON.stringify(join(root, 'probe'))}, ''),
    child: async () => (await import('node:child_process')).spawnSync('true'),
    worker: async () => new (await import('node:worker_threads')).Worker('', { eval: true }),
  })) outcomes[name] = await attempt().then(() => 'allowed', ({ code }) => code);
  process.stdout.write(JSON.stringify({ time: new Date(), level: 'info', message: 'Probe', ...outcomes }) + '\\n');
`);

const tlsTo = (port: number) =>
  connect({ port, host: '127.0.0.1', ALPNProtocols: ['http/1.1'], rejectUnauthorized: false });

test('the systemd unit has the same flags as the image, with its own folders', () => {
  const unit = readFileSync(join(root, 'deploy/greeting.service'), 'utf8');
  const [, command = ''] = /^ExecStart=((?:.*\\\n)*.*)$/m.exec(unit) ?? [];
  const flagsOfUnit = command.split(/[\s\\]+/).filter((word) => word.startsWith('--'))
    .map((flag) => flag.replace('/opt/greeting-service/', '/app/').replace('/etc/greeting-service/', '/tls/'));
  assert.deepEqual(flagsOfUnit, ofImage);
});

const only = { skip: NO_DESCRIPTORS };
const folder = temporaryFolder();
const path = join(folder, 'greeting.sock');
const [unix, https] = [await listeningSocket(path), await listeningSocket()];
const [unixHttps, tcp] = [await listeningSocket(join(folder, 'https.sock')), await listeningSocket()];

// The tests run at the same time, because they wait for processes.
describe('a process with TLS', { concurrency: true }, () => {
  test('HTTPS is served, and redirected to; SIGHUP reads the files again; a second SIGINT cuts', async (t) => {
    const { certFile, keyFile } = makeCertificate(folder, 'old');
    const env = { PORT: '0', HTTPS_PORT: '0', TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
    const service = spawnService(t, { ...env, SHUTDOWN_DELAY_MS: '60000' });
    const [httpsPort, httpPort] = [portIn(await service.nextLine()), portIn(await service.nextLine())];
    const { status, headers } = await request(httpPort, 'GET', '/api/greetings?name=Ada');
    assert.deepEqual([status, headers[1]], [307, `Location: https://localhost:${httpsPort}/api/greetings?name=Ada`]);

    const kept = tlsTo(httpsPort);
    kept.write(requestBytes('GET', '/health', []));
    assert.match(String(await once(kept, 'data')), /^HTTP\/1\.1 200 /);
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
      const socket = tlsTo(httpsPort);
      await once(socket, 'secureConnect');
      assert.deepEqual([socket.getPeerCertificate().subject.CN, socket.alpnProtocol], [name, 'http/1.1']);
      socket.destroy();
    }

    service.child.kill('SIGTERM');
    assert.equal((await service.nextLine())['delayMs'], 60_000);
    for (const socket of [tlsTo(httpsPort), kept]) { // it still listens, and the first connection is still served
      const { replies: [reply] } = await exchangeOn(socket, requestBytes('GET', '/health', []));
      assert.deepEqual([reply?.body, reply?.headers.includes('Connection: close')], ['Unhealthy', true]);
    }
    const repeating = setInterval(() => service.child.kill('SIGINT'), 100);
    t.after(() => clearInterval(repeating));
    const { lines: [second], code } = await service.ended();
    assert.deepEqual([second?.message, code], ['Stopping at once on a second signal', 1]);
  });

  test('with the flags of the image and sockets of others, attackers get nothing', only, async (t) => {
    const service = spawnService(t, {
      ...TLS, NODE_ENV: 'Development', HOST: '192.0.2.1', PORT: '1', HTTPS_REDIRECT_PORT: '443', ACCESS_LOG: 'true',
      LISTEN_FDNAMES: 'greeting.socket:https', SHUTDOWN_DELAY_MS: '60000',
    }, [...flags(), ...PROBE], [unix.fd, https.fd]);
    for (const { giveUp } of [unix, https]) giveUp();
    assert.deepEqual(untimed(await service.nextLine()), {
      level: 'info', message: 'Probe', proto: 'deleted', sqlite: 'ERR_UNKNOWN_BUILTIN_MODULE',
      write: 'ERR_ACCESS_DENIED', child: 'ERR_ACCESS_DENIED', worker: 'ERR_ACCESS_DENIED',
    });
    const listening = { level: 'info', message: 'Listening', environment: 'Development' };
    const address = `https://127.0.0.1:${https.port}`;
    for (const where of [{ address, name: 'https' }, { address: 'descriptor 3', name: 'greeting.socket' }]) {
      assert.deepEqual(untimed(await service.nextLine()), { ...listening, ...where });
    }
    const { replies } = await exchangeOn(connectTcp({ path }), requestBytes('GET', '/health'));
    assert.deepEqual(replies.map(({ headers }) => headers[1]), ['Location: https://localhost/health']);
    const { durationMs, traceId, ...line } = untimed(await service.nextLine());
    assert.deepEqual(line, { level: 'info', message: 'Request', method: 'GET', path: '/health', status: 307 });

    const PROTO = ['Transfer-Encoding: chunked', '__proto__: x', 'Connection: close'];
    for (const [bytes, status] of [
      [requestBytes('GET', '/health'), 200],
      [requestBytes('GET', '/api/greetings?name='), 400],
      [requestBytes('GET', '/openapi/v1.json'), 200],
      [`${requestBytes('GET', '/health', PROTO)}0\r\n__proto__: x\r\n\r\n`, 200],
    ] as const) {
      const { replies: ofBytes } = await exchangeOn(tlsTo(https.port), bytes);
      assert.deepEqual(ofBytes.map((reply) => reply.status), [status], bytes);
      await service.nextLine();
    }
    const kept = tlsTo(https.port);
    await once(kept, 'secureConnect');
    service.child.kill('SIGTERM');
    assert.equal((await service.nextLine()).message, 'Stopping');
    // New connections are left to other processes on the same socket, of which there is none here.
    await assert.rejects(once(connectTcp(https.port, '127.0.0.1'), 'connect'), { code: 'ECONNREFUSED' });
    const { replies: [last] } = await exchangeOn(kept, requestBytes('GET', '/health', []));
    assert.equal(last?.body, 'Unhealthy');
  });

  test('with HTTPS on a Unix socket alone, nobody knows where to redirect', only, async (t) => {
    const alone = spawnService(t, { ...TLS, LISTEN_FDNAMES: 'https' }, [], [unixHttps.fd]);
    const both = spawnService(t, { ...TLS, LISTEN_FDNAMES: 'https:http' }, [], [unixHttps.fd, tcp.fd]);
    const { lines, code } = await both.ended();
    const reason = 'HTTPS_REDIRECT_PORT must be set, because the socket for HTTPS has no port.';
    assert.deepEqual([lines.map((line) => line['reason']), code], [[reason], 78]);
    assert.equal((await alone.nextLine())['address'], 'descriptor 3');
  });
});
