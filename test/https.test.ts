// The process with TLS: with files of its own; and with the flags and the sockets that the image and systemd give it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { makeCertificate, temporaryFolder, tlsVariables } from './support/certificates.ts';
import { listeningSocket, NO_DESCRIPTORS } from './support/descriptors.ts';
import { exchangeOn, request, requestBytes } from './support/exchange.ts';
import { importing, NO_SIGNALS, portIn, ROOT, spawnService } from './support/process.ts';
import { field } from './support/replies.ts';

const TLS = tlsVariables();
const { allowedNodeEnvironmentFlags: known, env: { NODE_V8_COVERAGE: coverage } } = process;
const application = fileURLToPath(new URL('..', import.meta.url)); // of the compiled service, or of the sources
const [, entryPoint = ''] = /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')) ?? [];
const ofImage: readonly string[] = JSON.parse(entryPoint).slice(1, -1);

/** The flags of the Dockerfile that this Node has, with our folders for those of the image. Coverage may be written. */
const FLAGS = [
  ...ofImage.map((flag) => flag.replace('/app/', application).replace('/tls/', dirname(TLS.TLS_CERT_FILE))),
  '--allow-net', `--allow-fs-read=${join(ROOT, 'package.json')}`, `--allow-fs-write=${coverage}/`,
  ...(known.has('--permission') ? [] : ['--experimental-permission']), // Node 20
].filter((flag) => known.has(flag));

const PROBE = importing(`
  const outcomes = [Object.hasOwn(Object.prototype, '__proto__')];
  for (const attempt of [
    () => import('node:sqlite'),
    async () => (await import('node:fs')).writeFileSync(${JSON.stringify(join(ROOT, 'probe'))}, ''),
    async () => (await import('node:child_process')).spawnSync('true'),
    async () => new (await import('node:worker_threads')).Worker('', { eval: true }),
  ]) outcomes.push(await attempt().then(() => 'allowed', ({ code }) => code));
  process.stdout.write(JSON.stringify(outcomes) + '\\n');
`);

const tlsTo = (port: number) =>
  connect({ port, host: '127.0.0.1', ALPNProtocols: ['http/1.1'], rejectUnauthorized: false });

test('the systemd unit has the same flags as the image, with its own folders', () => {
  const [name = ''] = readdirSync(join(ROOT, 'deploy')).filter((file) => file.endsWith('.service'));
  const unit = readFileSync(join(ROOT, 'deploy', name), 'utf8');
  const [, command = ''] = /^ExecStart=((?:.*\\\n)*.*)$/m.exec(unit) ?? [];
  const flagsOfUnit = command.split(/[\s\\]+/).filter((word) => word.startsWith('--'))
    .map((flag) => flag.replace(/\/opt\/[\w-]+\//, '/app/').replace(/\/etc\/[\w-]+\//, '/tls/'));
  assert.deepEqual(flagsOfUnit, ofImage);
});

const folder = temporaryFolder();
const path = join(folder, 'http.sock');
const [unix, https] = [await listeningSocket(path), await listeningSocket()];
const unixHttps = await listeningSocket(join(folder, 'https.sock'));

describe('a process with TLS', { concurrency: true }, () => {
  test('it serves HTTPS, with the files of the last SIGHUP', { skip: NO_SIGNALS }, async (t) => {
    const tls = tlsVariables();
    const service = spawnService(t, { ...tls, PORT: '0', SHUTDOWN_DELAY_MS: '86400000' });
    const [httpsPort, httpPort] = [portIn(await service.nextLine()), portIn(await service.nextLine())];
    const { status, headers } = await request(httpPort, 'GET', '/health?a=b');
    assert.deepEqual([status, field({ headers }, 'Location')], [307, `https://localhost:${httpsPort}/health?a=b`]);

    const renewed = makeCertificate(folder, 'renewed', [-2, -1]);
    for (const [change, name, ...patterns] of [
      [() => copyFileSync(renewed.certFile, tls.TLS_CERT_FILE), 'localhost',
        /"error","message":"The TLS files could not be read again; the previous ones stay in use.","error":{/],
      [() => copyFileSync(renewed.keyFile, tls.TLS_KEY_FILE), 'renewed',
        /"warn","message":"The TLS certificate has expired./, /"info","message":"The TLS files have been read again./],
    ] as const) {
      change();
      service.child.kill('SIGHUP');
      for (const pattern of patterns) assert.match(JSON.stringify(await service.nextLine()), pattern);
      const socket = tlsTo(httpsPort);
      await once(socket, 'secureConnect');
      assert.deepEqual([socket.getPeerCertificate().subject.CN, socket.alpnProtocol], [name, 'http/1.1']);
      socket.destroy();
    }

    service.child.kill('SIGTERM');
    assert.equal((await service.nextLine())['delayMs'], 86_400_000);
    const [reply] = await exchangeOn(tlsTo(httpsPort), requestBytes('GET', '/health', []));
    assert.equal(reply?.body, 'Unhealthy'); // it still listens
    setInterval(() => service.child.kill('SIGINT'), 100).unref();
    const { lines: [second], code } = await service.ended();
    assert.deepEqual([second?.message, code], ['Stopping at once on a second signal', 1]);
  });

  test('with flags of the image and sockets of others, attackers get nothing', { skip: NO_DESCRIPTORS }, async (t) => {
    const service = spawnService(t, {
      ...TLS, NODE_ENV: 'Development', HOST: '192.0.2.1', PORT: '1', HTTPS_REDIRECT_PORT: '443',
      LISTEN_FDNAMES: 'a.socket:https', SHUTDOWN_DELAY_MS: '86400000', PROXY_PROTOCOL: 'unix', TRUSTED_PROXIES: 'unix',
    }, [...FLAGS, ...PROBE], [unix.fd, https.fd]);
    for (const { giveUp } of [unix, https]) giveUp();
    const denied = ['ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED'];
    assert.deepEqual(await service.nextLine(), [false, 'ERR_UNKNOWN_BUILTIN_MODULE', ...denied]);
    const listening = [await service.nextLine(), await service.nextLine()].map(({ address, name }) => [address, name]);
    assert.deepEqual(listening, [[`https://127.0.0.1:${https.port}`, 'https'], ['descriptor 3', 'a.socket']]);
    const twice = requestBytes('GET', '/health', ['X-Forwarded-Proto: https']) + requestBytes('GET', '/health');
    const replies = await exchangeOn(connectTcp({ path }), `PROXY UNKNOWN\r\n${twice}`);
    assert.deepEqual(replies.map((reply) => field(reply, 'Location')), [undefined, 'https://localhost/health']);
    const paths = ['/health', '/nope', '/openapi/v1.json'];
    const bytes = paths.map((each) => requestBytes('GET', each, [])).join('');
    const last = requestBytes('GET', '/health', ['Transfer-Encoding: chunked', '__proto__: x', 'Connection: close']);
    const secure = await exchangeOn(tlsTo(https.port), `${bytes}${last}0\r\n__proto__: x\r\n\r\n`);
    assert.deepEqual(secure.map(({ status }) => status), [200, 404, 200, 200]);
    const kept = tlsTo(https.port);
    await once(kept, 'secureConnect');
    service.child.kill('SIGTERM');
    assert.equal((await service.nextLine()).message, 'Stopping');
    // New connections are left to other processes on the same socket, of which there is none here.
    await assert.rejects(once(connectTcp(https.port, '127.0.0.1'), 'connect'), { code: 'ECONNREFUSED' });
    const [reply] = await exchangeOn(kept, requestBytes('GET', '/health', []));
    assert.equal(reply?.body, 'Unhealthy');
  });

  test('on a Unix socket, there is plain HTTP alone', { skip: NO_DESCRIPTORS }, async (t) => {
    const plain = spawnService(t, { LISTEN_FDNAMES: 'http', SHUTDOWN_DELAY_MS: '0' }, [], [unixHttps.fd]);
    assert.equal((await plain.nextLine())['address'], 'descriptor 3');
    plain.child.kill('SIGTERM');
    assert.equal((await plain.ended()).code, 0);
    const { lines, code } = await spawnService(t, { ...TLS, LISTEN_FDNAMES: 'https' }, [], [unixHttps.fd]).ended();
    assert.match(String(lines[0]?.['reason']), /descriptor 3, .*: HTTPS needs TCP, and not a Unix socket\.$/);
    assert.equal(code, 78);
  });
});
