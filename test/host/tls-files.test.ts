import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { duplexPair } from 'node:stream';
import { test } from 'node:test';
import { connect, createSecureContext, DEFAULT_CIPHERS, TLSSocket, type ConnectionOptions, type SecureContext } from 'node:tls';
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
  const [files, other] = [makeCertificate(folder, 'a', undefined, 'rsa'), makeCertificate(folder, 'b')];
  const first = new X509Certificate(readFileSync(files.certFile));
  appendFileSync(files.certFile, readFileSync(other.certFile));
  const context = readTlsFiles(files, nothing);
  assert.equal((await handshake(context)).certificate?.fingerprint256, first.fingerprint256);
  await assert.rejects(handshake(context, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }));
  const bare = createSecureContext({ cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) });
  const inTls12 = (ciphers: readonly string[]) => ({ maxVersion: 'TLSv1.2', ciphers: ciphers.join(':') }) as const;
  const best = ['ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'];
  for (const offered of [best, best.toReversed()]) assert.equal((await handshake(context, inTls12(offered))).cipher, best[0]);
  for (const cipher of ['AES128-SHA', 'AES256-GCM-SHA384', 'ECDHE-RSA-AES128-SHA']) { // no forward secrecy, or no authenticated encryption
    assert.equal((await handshake(bare, inTls12([cipher]))).cipher, cipher);
    await assert.rejects(handshake(context, inTls12([cipher])), /alert handshake failure/);
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

const ACCEPTED = { cert: 'certificate, followed by its chain, if any', key: 'unencrypted private key of the certificate' };

test('a mistake names the variable, the file, what is accepted and what is wrong', (t) => {
  const folder = temporaryFolder(t);
  const [a, b] = [makeCertificate(folder, 'a'), makeCertificate(folder, 'b')];
  const cert = readFileSync(a.certFile, 'latin1');
  const locked = createPrivateKey(readFileSync(a.keyFile)).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' });
  for (const [file, content, why] of [
    ['cert', undefined, 'ENOENT'],
    ['cert', '', 'no start line'],
    ['cert', new X509Certificate(cert).raw, 'no start line'],
    ['cert', `${cert}-----BEGIN CERTIFICATE-----\nnoise\n-----END CERTIFICATE-----\n`, 'bad base64 decode'],
    ['cert', `${cert}${cert.slice(0, 300)}`, 'bad end line'], // a file of which the end is missing
    ['cert', readFileSync(makeCertificate(folder, 'weak', undefined, 'weak').certFile), 'ee key too small'],
    ['key', undefined, 'ENOENT'],
    ['key', '', 'unsupported'],
    ['key', locked, 'routines::'], // bad decrypt or, for one random key in 256, whose padding looks right, unsupported
    ['key', cert, 'unsupported'],
    ['key', readFileSync(b.keyFile), 'key values mismatch'],
  ] as const) {
    const path = join(folder, content === undefined ? 'missing' : 'file');
    if (content !== undefined) writeFileSync(path, content);
    const { [file]: accepted } = ACCEPTED;
    assert.throws(() => readTlsFiles({ ...a, [`${file}File`]: path }, nothing), ({ reasons, exitCode, cause }) => {
      const mistake = `TLS_${file.toUpperCase()}_FILE is "${path}", but must be a readable PEM file with the ${accepted} (${cause}).`;
      assert.deepEqual([reasons, exitCode, String(cause).includes(why)], [[mistake], 78, true]);
      return true;
    });
  }
});

test('key exchanges cost little, and one is safe from quantum computers where OpenSSL has it', () => {
  for (const openssl of ['3.0.19', '3.4.1']) assert.equal(keyExchanges(openssl), 'X25519:P-256');
  for (const openssl of ['3.5', '3.5.0', '3.10.0', '4.0.0']) assert.equal(keyExchanges(openssl), 'X25519MLKEM768:X25519:P-256');
});
