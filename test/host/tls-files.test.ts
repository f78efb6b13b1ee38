import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connect, createSecureContext, DEFAULT_CIPHERS, TLSSocket, type ConnectionOptions, type SecureContext } from 'node:tls';
import { StartError } from '../../src/host/start-error.ts';
import { keyExchanges, readTlsFiles, type TlsFiles } from '../../src/host/tls-files.ts';
import { makeBrokenChain, makeCertificate, temporaryFolder } from '../support/certificates.ts';

const nothing = () => assert.fail('nothing should be logged');

function mistakeIn(files: TlsFiles): StartError {
  try {
    readTlsFiles(files, nothing);
  } catch (error) {
    if (error instanceof StartError) return error;
    throw error;
  }
  return assert.fail('no mistake was reported');
}

/** What a client sees of a server with this context: the certificates, and the cipher that was agreed on. */
async function handshake(t: TestContext, secureContext: SecureContext, options: ConnectionOptions = {}) {
  const server = createServer((carrier) => {
    carrier.on('error', () => {});
    new TLSSocket(carrier, { isServer: true, secureContext }).on('error', () => {});
  }).listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const client = connect({ port: Object(server.address()).port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  t.after(() => {
    client.destroy();
    server.close();
  });
  await once(client, 'secureConnect');
  return { certificate: client.getPeerX509Certificate(), cipher: client.getCipher().name };
}

test('a certificate, its chain and its key are used, TLS 1.2 is the oldest version, and the server chooses the cipher', async (t) => {
  const folder = temporaryFolder(t);
  const [files, other] = [makeCertificate(folder, 'a'), makeCertificate(folder, 'b')];
  const first = new X509Certificate(readFileSync(files.certFile));
  appendFileSync(files.certFile, readFileSync(other.certFile));
  const context = readTlsFiles(files, nothing);
  assert.equal((await handshake(t, context)).certificate?.fingerprint256, first.fingerprint256);
  await assert.rejects(handshake(t, context, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }));
  const ciphers = ['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'];
  for (const offered of [ciphers, ciphers.toReversed()]) {
    assert.equal((await handshake(t, context, { maxVersion: 'TLSv1.2', ciphers: offered.join(':') })).cipher, ciphers[0]);
  }
});

test('in TLS 1.2, ciphers without forward secrecy or authenticated encryption are refused; TLS 1.3 is as node has it', async (t) => {
  const files = makeCertificate(temporaryFolder(t), 'rsa', undefined, 'rsa');
  const context = readTlsFiles(files, nothing);
  const bare = createSecureContext({ cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) });
  for (const ciphers of ['AES128-SHA', 'AES256-GCM-SHA384', 'ECDHE-RSA-AES128-SHA']) {
    const options = { maxVersion: 'TLSv1.2', ciphers } as const;
    assert.equal((await handshake(t, bare, options)).cipher, ciphers);
    await assert.rejects(handshake(t, context, options), /alert handshake failure/);
  }
  for (const ciphers of ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-CHACHA20-POLY1305']) {
    assert.equal((await handshake(t, context, { maxVersion: 'TLSv1.2', ciphers })).cipher, ciphers);
  }
  for (const ciphers of DEFAULT_CIPHERS.split(':').filter((name) => name.startsWith('TLS_'))) {
    assert.equal((await handshake(t, context, { minVersion: 'TLSv1.3', ciphers })).cipher, ciphers);
  }
});

test('a certificate that has expired or is not valid yet can be used, with a warning', (t) => {
  const folder = temporaryFolder(t);
  for (const [days, message, field] of [[[-2, -1], 'The TLS certificate has expired.', 'validTo'], [[1, 2], 'The TLS certificate is not valid yet.', 'validFrom']] as const) {
    const files = makeCertificate(folder, 'a', days);
    const text = new X509Certificate(readFileSync(files.certFile))[field];
    const logged: unknown[][] = [];
    readTlsFiles(files, (...line) => logged.push(line));
    assert.deepEqual(logged, [['warn', message, { file: files.certFile, [field]: text }]]);
    const clock = t.mock.method(Date, 'now', () => Date.parse(text)); // the first or the last moment
    readTlsFiles(files, nothing);
    clock.mock.restore();
  }
});

test('a mistake names the variable, the file and what is accepted; the error of node is its cause', (t) => {
  const folder = temporaryFolder(t);
  const [a, b] = [makeCertificate(folder, 'a'), makeCertificate(folder, 'b')];
  function fileOf(name: string, content: string | Buffer): string {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  }
  const noise = fileOf('noise', 'noise');
  const broken = fileOf('broken', '-----BEGIN CERTIFICATE-----\nnoise\n-----END CERTIFICATE-----\n');
  const der = fileOf('der', new X509Certificate(readFileSync(a.certFile)).raw);
  const locked = fileOf('locked', createPrivateKey(readFileSync(a.keyFile)).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'secret' }));
  const chain = makeBrokenChain(folder, 'chain');
  const weak = makeCertificate(folder, 'weak', undefined, 'weak');

  const [readable, pem, key] = ['a readable file', 'the certificate in PEM, followed by its chain, if any', 'a PEM private key without a passphrase'];
  const cases: readonly (readonly [variable: 'certFile' | 'keyFile', files: TlsFiles, accepted: string, cause: RegExp])[] = [
    ['certFile', { ...a, certFile: '/no/such' }, readable, /^Error: ENOENT/],
    ['keyFile', { ...a, keyFile: folder }, readable, /^Error: EISDIR/],
    ['certFile', { ...a, certFile: noise }, pem, /^Error: BEGIN CERTIFICATE is missing$/],
    ['certFile', { ...a, certFile: der }, pem, /^Error: BEGIN CERTIFICATE is missing$/],
    ['certFile', { ...a, certFile: broken }, pem, /^Error: certificate 1 in the file cannot be read: Error: ./],
    ['certFile', chain, pem, /^Error: certificate 2 in the file cannot be read: Error: ./],
    ['certFile', weak, 'certificates that OpenSSL accepts for TLS', /^Error: .*:ee key too small$/],
    ['keyFile', { ...a, keyFile: noise }, key, /^(?:Type)?Error/],
    ['keyFile', { ...a, keyFile: locked }, key, /^(?:Type)?Error/],
    ['keyFile', { ...a, keyFile: a.certFile }, key, /^(?:Type)?Error/],
    ['keyFile', { ...a, keyFile: b.keyFile }, 'the private key of the certificate', /^Error: it belongs to another certificate$/],
  ];
  for (const [which, files, accepted, why] of cases) {
    const { reasons, exitCode, cause } = mistakeIn(files);
    assert.match(String(cause), why);
    const variable = which === 'certFile' ? 'TLS_CERT_FILE' : 'TLS_KEY_FILE';
    assert.deepEqual([reasons, exitCode], [[`${variable} is "${files[which]}", but must be ${accepted} (${String(cause)}).`], 78]);
  }
  assert.match(String(Object(mistakeIn(chain).cause).cause), /^Error: error:/);
});

for (const [openssl, accepted] of [
  ['3.0.19', 'X25519:P-256'],
  ['3.4.1', 'X25519:P-256'],
  ['3.5.0', 'X25519MLKEM768:X25519:P-256'],
  ['3.10.0', 'X25519MLKEM768:X25519:P-256'],
  ['4.0.0', 'X25519MLKEM768:X25519:P-256'],
] as const) {
  test(`with OpenSSL ${openssl}, the key exchanges are ${accepted}`, () => assert.equal(keyExchanges(openssl), accepted));
}
