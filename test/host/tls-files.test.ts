import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { duplexPair } from 'node:stream';
import { test } from 'node:test';
import { connect, createSecureContext, DEFAULT_CIPHERS, TLSSocket, type ConnectionOptions, type SecureContext } from 'node:tls';
import { StartError } from '../../src/host/start-error.ts';
import { keyExchanges, readTlsFiles } from '../../src/host/tls-files.ts';
import { makeCertificate, temporaryFolder } from '../support/certificates.ts';

const nothing = () => assert.fail('nothing should be logged');

/** What a client sees of a server with this context: the certificate, and the cipher that was agreed on. */
async function handshake(secureContext: SecureContext, options: ConnectionOptions = {}) {
  const [server, carrier] = duplexPair();
  new TLSSocket(server, { isServer: true, secureContext }).on('error', () => {});
  const client = connect({ socket: carrier, rejectUnauthorized: false, ...options });
  await once(client, 'secureConnect');
  return { certificate: client.getPeerX509Certificate(), cipher: client.getCipher().name };
}

test('a certificate, its chain and its key are used, TLS 1.2 is the oldest version, and the server chooses the cipher', async (t) => {
  const folder = temporaryFolder(t);
  const [files, other] = [makeCertificate(folder, 'a'), makeCertificate(folder, 'b')];
  const first = new X509Certificate(readFileSync(files.certFile));
  appendFileSync(files.certFile, readFileSync(other.certFile));
  const context = readTlsFiles(files, nothing);
  assert.equal((await handshake(context)).certificate?.fingerprint256, first.fingerprint256);
  await assert.rejects(handshake(context, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }));
  const ciphers = ['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'];
  for (const offered of [ciphers, ciphers.toReversed()]) {
    assert.equal((await handshake(context, { maxVersion: 'TLSv1.2', ciphers: offered.join(':') })).cipher, ciphers[0]);
  }
});

test('in TLS 1.2, ciphers without forward secrecy or authenticated encryption are refused; TLS 1.3 is as Node has it', async (t) => {
  const files = makeCertificate(temporaryFolder(t), 'rsa', undefined, 'rsa');
  const context = readTlsFiles(files, nothing);
  const bare = createSecureContext({ cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) });
  for (const ciphers of ['AES128-SHA', 'AES256-GCM-SHA384', 'ECDHE-RSA-AES128-SHA']) {
    const options = { maxVersion: 'TLSv1.2', ciphers } as const;
    assert.equal((await handshake(bare, options)).cipher, ciphers);
    await assert.rejects(handshake(context, options), /alert handshake failure/);
  }
  for (const ciphers of DEFAULT_CIPHERS.split(':').filter((name) => name.startsWith('TLS_'))) {
    assert.equal((await handshake(context, { minVersion: 'TLSv1.3', ciphers })).cipher, ciphers);
  }
});

test('a certificate that has expired or is not valid yet can be used, with a warning', (t) => {
  const folder = temporaryFolder(t);
  for (const [from, to, message, field] of [
    [-2, -1, 'The TLS certificate has expired.', 'validTo'],
    [1, 2, 'The TLS certificate is not valid yet.', 'validFrom'],
  ] as const) {
    const files = makeCertificate(folder, 'a', [from, to]);
    const text = new X509Certificate(readFileSync(files.certFile))[field];
    const logged: unknown[][] = [];
    readTlsFiles(files, (...line) => logged.push(line));
    assert.deepEqual(logged, [['warn', message, { file: files.certFile, [field]: text }]]);
    const clock = t.mock.method(Date, 'now', () => Date.parse(text)); // the first or the last moment
    readTlsFiles(files, nothing);
    clock.mock.restore();
  }
});

test('a mistake names the variable, the file, what is accepted and what is wrong', (t) => {
  const folder = temporaryFolder(t);
  const [a, b] = [makeCertificate(folder, 'a'), makeCertificate(folder, 'b')];
  const cert = readFileSync(a.certFile, 'latin1');
  const locked = createPrivateKey(readFileSync(a.keyFile)).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' });
  const certs = { variable: 'TLS_CERT_FILE', accepted: 'a readable PEM file of the certificate, followed by its chain, if any' };
  const keys = { variable: 'TLS_KEY_FILE', accepted: 'a readable PEM file of the private key of the certificate, without a passphrase' };
  for (const [{ variable, accepted }, content, why] of [
    [certs, undefined, 'ENOENT'],
    [certs, '', 'no start line'],
    [certs, new X509Certificate(cert).raw, 'no start line'],
    [certs, `${cert}-----BEGIN CERTIFICATE-----\nnoise\n-----END CERTIFICATE-----\n`, 'bad base64 decode'],
    [certs, `${cert}${cert.slice(0, 300)}`, 'bad end line'], // a file of which the end is missing
    [certs, readFileSync(makeCertificate(folder, 'weak', undefined, 'weak').certFile), 'ee key too small'],
    [keys, undefined, 'ENOENT'],
    [keys, '', 'unsupported'],
    [keys, locked, 'bad decrypt'],
    [keys, cert, 'unsupported'],
    [keys, readFileSync(b.keyFile), 'key values mismatch'],
  ] as const) {
    const file = join(folder, content === undefined ? 'missing' : 'file');
    if (content !== undefined) writeFileSync(file, content);
    const files = variable === 'TLS_CERT_FILE' ? { ...a, certFile: file } : { ...a, keyFile: file };
    assert.throws(() => readTlsFiles(files, nothing), (error) => {
      assert.ok(error instanceof StartError && String(error.cause).includes(why), String(error));
      const reason = `${variable} is "${file}", but must be ${accepted} (${String(error.cause)}).`;
      assert.deepEqual([error.reasons, error.exitCode], [[reason], 78]);
      return true;
    });
  }
});

test('key exchanges cost little, and one is safe from quantum computers where OpenSSL has it', () => {
  for (const openssl of ['3.0.19', '3.4.1']) assert.equal(keyExchanges(openssl), 'X25519:P-256');
  for (const openssl of ['3.5.0', '3.10.0', '4.0.0']) assert.equal(keyExchanges(openssl), 'X25519MLKEM768:X25519:P-256');
});
