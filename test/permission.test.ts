// Tests the service under node's permission model, with the flags of the image.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect as connectUnix } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { temporaryFolder, tlsVariables } from './support/certificates.ts';
import { listeningSocket, NO_DESCRIPTORS } from './support/descriptors.ts';
import { exchange, exchangeOn, requestBytes } from './support/exchange.ts';
import { importing, portIn, spawnService, untimed } from './support/process.ts';

const application = fileURLToPath(new URL('..', import.meta.url)); // the folder of the compiled service, or of the sources
const root = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '..' : '../..', import.meta.url));
const [major = 0] = process.versions.node.split('.').map(Number);

const [, entryPoint = ''] = /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? [];
const ofImage: readonly string[] = JSON.parse(entryPoint).slice(1, -1);
const ownFiles = [`--allow-fs-read=${application}`, `--allow-fs-read=${join(root, 'package.json')}`];

const TLS = tlsVariables();

/** The flags of the Dockerfile for this Node, with `readable` for /app, and ours for /tls. Coverage may be written. */
function flags(readable = ownFiles): string[] {
  const coverage = process.env['NODE_V8_COVERAGE'];
  return [...ofImage.flatMap((flag) => {
    if (flag === '--allow-fs-read=/app/') return readable;
    if (flag === '--allow-fs-read=/tls/') return `--allow-fs-read=${dirname(TLS.TLS_CERT_FILE)}/`;
    if (flag === '--permission' && major < 22) return '--experimental-permission';
    return flag === '--no-experimental-sqlite' && major < 22 ? [] : flag; // Node 20 has no node:sqlite
  }), ...(major < 25 ? [] : ['--allow-net']), ...(coverage === undefined ? [] : [`--allow-fs-write=${coverage}/`])];
}

/** Prints, in the form of a log line, what each attempt has come to. */
const PROBE = importing(`
  const attempts = {
    proto: () => Object.hasOwn(Object.prototype, '__proto__') || Promise.reject({ code: 'deleted' }),
    sqlite: () => import('node:sqlite'),
    write: async () => (await import('node:fs')).writeFileSync(${JSON.stringify(join(root, 'probe'))}, ''),
    child: async () => (await import('node:child_process')).spawnSync('true').error && Promise.reject({ code: 'error' }),
    worker: async () => new (await import('node:worker_threads')).Worker('', { eval: true }),
  };
  const outcomes = {};
  for (const [name, attempt] of Object.entries(attempts)) {
    try { await attempt(); outcomes[name] = 'allowed'; } catch ({ code }) { outcomes[name] = code; }
  }
  process.stdout.write(JSON.stringify({ time: new Date(), level: 'info', message: 'Probe', ...outcomes }) + '\\n');
`);

test('with the flags of the image every endpoint answers, also over TLS, and what an attacker would need is denied', async (t) => {
  const service = spawnService(t, { PORT: '0', ...TLS, NODE_ENV: 'Development' }, [...flags(), ...PROBE]);
  assert.deepEqual(untimed(await service.nextLine()), {
    level: 'info', message: 'Probe',
    proto: 'deleted', sqlite: 'ERR_UNKNOWN_BUILTIN_MODULE',
    write: 'ERR_ACCESS_DENIED', child: 'ERR_ACCESS_DENIED', worker: 'ERR_ACCESS_DENIED',
  });
  const port = portIn(await service.nextLine());
  await service.nextLine();
  for (const [target, status] of [['/health', 200], ['/api/greetings?name=', 400], ['/openapi/v1.json', 200], ['/nope', 404]] as const) {
    const { replies } = await exchangeOn(connect({ port, host: '127.0.0.1', rejectUnauthorized: false }), requestBytes('GET', target));
    assert.deepEqual(replies.map((reply) => reply.status), [status], target);
  }
});

test('with the flags of the image and SERVER=node, a field or a trailer named __proto__ does not end the process', async (t) => {
  const service = spawnService(t, { PORT: '0', SERVER: 'node' }, flags());
  const head = requestBytes('GET', '/health', ['Transfer-Encoding: chunked', '__proto__: x', 'Connection: close']);
  const { replies } = await exchange(portIn(await service.nextLine()), `${head}0\r\n__proto__: x\r\n\r\n`);
  assert.deepEqual(replies.map(({ status }) => status), [200]);
});

test('the systemd unit has the same flags, with its own folders', () => {
  const [, command = ''] = /^ExecStart=((?:.*\\\n)*.*)$/m.exec(readFileSync(join(root, 'deploy/greeting.service'), 'utf8')) ?? [];
  const ofUnit = command.split(/[\s\\]+/).filter((word) => word.startsWith('--'));
  const folders = [['/opt/greeting-service/', '/app/'], ['/etc/greeting-service/', '/tls/']] as const;
  assert.deepEqual(ofUnit.map((flag) => folders.reduce((text, [own, ofOther]) => text.replace(own, ofOther), flag)), ofImage);
});

const only = { skip: NO_DESCRIPTORS };
test('sockets that are handed over need no further permission: one is named https, and the other redirects there', only, async (t) => {
  const path = join(temporaryFolder(t), 'greeting.sock');
  const [unix, https] = [await listeningSocket(t, path), await listeningSocket(t)];
  const env = { ...TLS, HOST: '192.0.2.1', PORT: '1', HTTPS_REDIRECT_PORT: '443', ACCESS_LOG: 'true' };
  const service = spawnService(t, { ...env, LISTEN_FDNAMES: 'greeting.socket:https' }, flags(), [unix.fd, https.fd]);
  for (const { giveUp } of [unix, https]) giveUp();
  const listening = { level: 'info', message: 'Listening', environment: null };
  assert.deepEqual(untimed(await service.nextLine()), { ...listening, address: `https://127.0.0.1:${https.port}`, name: 'https' });
  assert.deepEqual(untimed(await service.nextLine()), { ...listening, address: 'descriptor 3', name: 'greeting.socket' });
  const { replies } = await exchangeOn(connectUnix({ path }), requestBytes('GET', '/health'));
  assert.deepEqual(replies.map(({ headers }) => headers[0]), ['Location: https://localhost/health']);
  const { durationMs, traceId, ...line } = untimed(await service.nextLine());
  assert.deepEqual(line, { level: 'info', message: 'Request', method: 'GET', path: '/health', status: 307 }); // no remoteAddress
  const tls = connect({ port: https.port, host: '127.0.0.1', rejectUnauthorized: false });
  assert.deepEqual((await exchangeOn(tls, requestBytes('GET', '/health'))).replies.map(({ body }) => body), ['Healthy']);
});
