import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connect, createSecureContext, DEFAULT_CIPHERS, TLSSocket, type ConnectionOptions, type SecureContext } from 'node:tls';
import { readTlsFiles, type TlsFiles } from '../../src/host/tls-files.ts';
import { makeBrokenChain, makeCertificate, makeRsaCertificate, makeWeakCertificate, temporaryFolder } from '../support/certificates.ts';

const nothing = () => assert.fail('nothing should be logged');

function reasonFor(files: TlsFiles): string {
  try {
    readTlsFiles(files, nothing);
  } catch (error) {
    if (error instanceof Error && 'exitCode' in error && error.exitCode === 78 && 'reasons' in error && Array.isArray(error.reasons) && error.reasons.length === 1) return String(error.reasons[0]);
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
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Not a TCP address');
  const client = connect({ port: address.port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  t.after(() => {
    client.destroy();
    server.close();
  });
  await once(client, 'secureConnect');
  return { certificate: client.getPeerX509Certificate(), cipher: client.getCipher().name };
}

test('a certificate and its key are used, TLS 1.2 is the oldest version, and the server chooses the cipher', async (t) => {
  const files = makeCertificate(temporaryFolder(t), 'a');
  const context = readTlsFiles(files, nothing);
  const { certificate } = await handshake(t, context);
  assert.equal(certificate?.fingerprint256, new X509Certificate(readFileSync(files.certFile)).fingerprint256);
  await assert.rejects(handshake(t, context, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }));
  const ciphers = ['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'];
  for (const offered of [ciphers, ciphers.toReversed()]) {
    assert.equal((await handshake(t, context, { maxVersion: 'TLSv1.2', ciphers: offered.join(':') })).cipher, ciphers[0]);
  }
});

test('in TLS 1.2, ciphers without forward secrecy or authenticated encryption are refused; TLS 1.3 is as node has it', async (t) => {
  const files = makeRsaCertificate(temporaryFolder(t), 'rsa');
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

test('a chain of certificates can be used', async (t) => {
  const folder = temporaryFolder(t);
  const [a, b] = [makeCertificate(folder, 'a'), makeCertificate(folder, 'b')];
  const first = readFileSync(a.certFile, 'latin1');
  writeFileSync(a.certFile, first + readFileSync(b.certFile, 'latin1'));
  const { certificate } = await handshake(t, readTlsFiles(a, nothing));
  assert.equal(certificate?.fingerprint256, new X509Certificate(first).fingerprint256);
});

test('an expired certificate can be used, with a warning', (t) => {
  const files = makeCertificate(temporaryFolder(t), 'a', -1);
  const logged: unknown[][] = [];
  readTlsFiles(files, (...line) => logged.push(line));
  assert.equal(logged.length, 1);
  assert.deepEqual(logged[0]?.slice(0, 2), ['warn', 'The TLS certificate has expired.']);
  assert.match(JSON.stringify(logged[0]?.[2]), /^\{"file":".*a\.cert\.pem","validTo":".* GMT"\}$/);
});

test('a mistake names the variable, the file and what is accepted', (t) => {
  const folder = temporaryFolder(t);
  const a = makeCertificate(folder, 'a');
  const b = makeCertificate(folder, 'b');
  const noise = join(folder, 'noise');
  writeFileSync(noise, 'noise');
  const broken = join(folder, 'broken');
  writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nnoise\n-----END CERTIFICATE-----\n');
  const der = join(folder, 'der');
  writeFileSync(der, new X509Certificate(readFileSync(a.certFile)).raw);
  const locked = join(folder, 'locked');
  writeFileSync(locked, createPrivateKey(readFileSync(a.keyFile)).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'secret' }));

  const chain = makeBrokenChain(folder, 'chain');
  const weak = makeWeakCertificate(folder, 'weak');

  const cases: readonly (readonly [files: TlsFiles, reason: RegExp])[] = [
    [{ ...a, certFile: '/no/such' }, /^TLS_CERT_FILE is "\/no\/such", but must be a readable file \(Error: ENOENT/],
    [{ ...a, keyFile: folder }, /^TLS_KEY_FILE is ".*", but must be a readable file \(Error: EISDIR/],
    [{ ...a, certFile: noise }, /^TLS_CERT_FILE is ".*noise", but must be the certificate in PEM, followed by its chain, if any \(Error: BEGIN CERTIFICATE is missing\)\.$/],
    [{ ...a, certFile: der }, /^TLS_CERT_FILE is ".*der", but must be the certificate in PEM, followed by its chain, if any \(Error: BEGIN CERTIFICATE is missing\)\.$/],
    [{ ...a, certFile: broken }, /^TLS_CERT_FILE is ".*broken", but must be the certificate in PEM, followed by its chain, if any \(Error: certificate 1 in the file cannot be read: Error: ./],
    [chain, /^TLS_CERT_FILE is ".*chain\.cert\.pem", but must be the certificate in PEM, followed by its chain, if any \(Error: certificate 2 in the file cannot be read: Error: ./],
    [weak, /^TLS_CERT_FILE is ".*weak\.cert\.pem", but must be certificates that OpenSSL accepts for TLS \(Error: .*:ee key too small\)\.$/],
    [{ ...a, keyFile: noise }, /^TLS_KEY_FILE is ".*noise", but must be a PEM private key without a passphrase \((?:Type)?Error.*\)\.$/],
    [{ ...a, keyFile: locked }, /^TLS_KEY_FILE is ".*locked", but must be a PEM private key without a passphrase \((?:Type)?Error.*\)\.$/],
    [{ ...a, keyFile: a.certFile }, /^TLS_KEY_FILE is ".*a\.cert\.pem", but must be a PEM private key without a passphrase \((?:Type)?Error.*\)\.$/],
    [{ ...a, keyFile: b.keyFile }, /^TLS_KEY_FILE is ".*b\.key\.pem", but must be the private key of the certificate \(Error: it belongs to another certificate\)\.$/],
  ];
  for (const [files, reason] of cases) assert.match(reasonFor(files), reason);
});

test('the error of node is the cause of a mistake', (t) => {
  const files = makeCertificate(temporaryFolder(t), 'a');
  assert.throws(() => readTlsFiles({ ...files, keyFile: '/no/such' }, nothing), ({ cause }) => {
    assert.equal(Object(cause).code, 'ENOENT');
    return true;
  });
  const chain = makeBrokenChain(temporaryFolder(t), 'chain');
  assert.throws(() => readTlsFiles(chain, nothing), ({ cause }) => {
    assert.match(String(Object(cause).cause), /^Error: error:/);
    return true;
  });
});
