// Tests the service under node's permission model, with the flags of the image and of the systemd unit.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { connect as connectUnix } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { makeCertificate, temporaryFolder } from './support/certificates.ts';
import { listeningSocket, NO_DESCRIPTORS } from './support/descriptors.ts';
import { makePipe } from './support/named-pipe.ts';
import { addressIn, ENTRY, portIn, spawnService, spawnWithSockets } from './support/process.ts';
import { exchangeOn, request, requestBytes } from './support/exchange.ts';

const application = fileURLToPath(new URL('..', import.meta.url)); // the folder of the compiled service, or of the sources

// On Node 20 the flag has another name, and there is no node:sqlite. From Node 25 on, the network needs a permission, too.
const major = Number(process.versions.node.split('.')[0]);
const ofThisNode = major < 22 ? ['--experimental-permission'] : ['--permission', '--no-experimental-sqlite', ...(major < 25 ? [] : ['--allow-net'])];

/** The flags of the Dockerfile, with the folder of this service. When coverage is measured, its folder may be written. */
function flags(...readable: readonly string[]): string[] {
  const coverage = process.env['NODE_V8_COVERAGE'];
  return [
    ...ofThisNode,
    `--allow-fs-read=${application}`,
    `--allow-fs-read=${fileURLToPath(new URL('../package.json', `file://${application}`))}`,
    ...readable.map((folder) => `--allow-fs-read=${folder}/`),
    ...(coverage === undefined ? [] : [`--allow-fs-write=${coverage}/`]),
    '--disable-proto=throw',
  ];
}

test('with read access to its own files only, every endpoint answers', async (t) => {
  const service = spawnService(t, { PORT: '0', NODE_ENV: 'Development' }, flags());
  const port = portIn(await service.nextLine());
  for (const [target, status] of [['/health', 200], ['/api/greetings?name=Ada', 200], ['/api/greetings?name=', 400], ['/openapi/v1.json', 200], ['/nope', 404], ['/health#', 400]] as const) {
    assert.equal((await request(port, 'GET', target)).status, status, target);
  }
  service.child.kill('SIGTERM');
  assert.equal((await service.ended()).code, 0);
});

/** Flags that let node read only the entry point, and the file with the exit codes. */
function entryOnly(): string[] {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const files = ['main', 'host/start-error'].map((file) => `--allow-fs-read=${application}src/${file}.${extension}`);
  return [...flags().filter((flag) => flag !== `--allow-fs-read=${application}`), ...files];
}

test('when a file of the service cannot be loaded, one line says so', async (t) => {
  const { lines, code } = await spawnService(t, {}, entryOnly()).ended();
  assert.deepEqual(lines.map(({ level, message, error }) => [level, message, Object(error).name]), [['fatal', 'The process ends because of an error that nothing caught.', 'Error']]);
  assert.match(JSON.stringify(lines[0]?.['error']), /^\{"name":"Error","message":"Access to this API has been restricted.*","stack":"Error: .*"\}$/);
  assert.equal(code, 1);
});

test('when a file of the service cannot be loaded, the process ends, even when its log is never read', { timeout: 30_000 }, async (t) => {
  const path = join(temporaryFolder(t), 'log');
  makePipe(path);
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  t.after(() => closeSync(pipe));
  const fill = () => { for (;;) writeSync(pipe, 'x'.repeat(4096)); };
  assert.throws(fill, { code: 'EAGAIN' });
  const child = spawn(process.execPath, [...entryOnly(), ENTRY], { stdio: ['ignore', pipe, 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  assert.deepEqual(await once(child, 'exit'), [1, null]);
});

test('without a permission for the network, one line says so', { skip: major < 25 && 'before Node 25 the network needs no permission' }, async (t) => {
  for (const HOST of ['127.0.0.1', '*', 'localhost']) {
    const { lines, code } = await spawnService(t, { PORT: '0', HOST }, flags().filter((flag) => flag !== '--allow-net')).ended();
    assert.deepEqual([lines.map((line) => line['reason']), code], [['Node is run with --permission, so it needs --allow-net to listen.'], 78]);
  }
});

test('with read access to the TLS files, too, HTTPS requests are answered', async (t) => {
  const folder = temporaryFolder(t);
  const { certFile, keyFile } = makeCertificate(folder, 'localhost');
  const env = { PORT: '0', HTTPS_PORT: '0', TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
  const refused = await spawnService(t, env, flags()).ended();
  assert.match(String(refused.lines[0]?.['reason']), /^TLS_CERT_FILE is .* must be a readable file \(Error: Access to this API has been restricted/);
  assert.equal(refused.code, 78);

  const service = spawnService(t, env, flags(folder));
  const port = portIn(await service.nextLine());
  await service.nextLine();
  const { replies } = await exchangeOn(connect({ port, host: '127.0.0.1', rejectUnauthorized: false }), requestBytes('GET', '/health'));
  assert.deepEqual(replies.map((reply) => reply.body), ['Healthy']);
  service.child.kill('SIGHUP');
  assert.equal((await service.nextLine()).message, 'The TLS files have been read again.');
});

test('sockets that are handed over need no further permission', { skip: NO_DESCRIPTORS }, async (t) => {
  const path = join(temporaryFolder(t), 'greeting.sock');
  const [unix, tcp] = [await listeningSocket(t, path), await listeningSocket(t)];
  const service = spawnWithSockets(t, [unix.fd, tcp.fd], {}, flags());
  for (const { giveUp } of [unix, tcp]) giveUp();
  assert.equal(addressIn(await service.nextLine()), 'descriptor 3');
  assert.equal(portIn(await service.nextLine()), tcp.port);
  const { replies } = await exchangeOn(connectUnix({ path }), requestBytes('GET', '/health'));
  assert.deepEqual(replies.map((reply) => reply.body), ['Healthy']);
  assert.equal((await request(tcp.port, 'GET', '/health')).body, 'Healthy');
});
