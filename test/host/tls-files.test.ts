import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { duplexPair } from 'node:stream';
import { test } from 'node:test';
import { connect, createSecureContext, DEFAULT_CIPHERS, TLSSocket, type ConnectionOptions, type SecureContext } from 'node:tls';
import { keyExchanges, readTlsFiles, type TlsFiles } from '../../src/host/tls-files.ts';
import { makeCertificate, temporaryFolder } from '../support/certificates.ts';

const nothing = () => assert.fail('nothing should be logged');

/** What a client sees of a server with these options: the certificate, the cipher that was agreed on, and whether a session was resumed. */
async function handshake(secureContext: SecureContext, options: ConnectionOptions = {}) {
  const [server, carrier] = duplexPair();
  const accepted = new TLSSocket(server, { isServer: true, secureContext }).on('error', () => {});
  const client = connect({ socket: carrier, rejectUnauthorized: false, ...options });
  let session: Buffer | undefined; // in TLS 1.3 it follows the handshake
  client.on('session', (given) => { session = given; });
  await once(client, 'secureConnect');
  accepted.write('.');
  await once(client, 'data');
  const [certificate, cipher] = [client.getPeerX509Certificate(), client.getCipher().name];
  return { certificate, cipher, isReused: client.isSessionReused(), ticket: client.getTLSTicket(), session };
}

test('a certificate, its chain and its key are used, TLS 1.2 is the oldest version, and the server chooses the cipher', async (t) => {
  const folder = temporaryFolder(t);
  const [files, other] = [makeCertificate(folder, 'a', undefined, 'rsa'), makeCertificate(folder, 'b')];
  const first = new X509Certificate(readFileSync(files.certFile));
  appendFileSync(files.certFile, readFileSync(other.certFile));
  const context = createSecureContext(await readTlsFiles(files, nothing));
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

test('no session is resumed, and TLS 1.2 gives no ticket: its key could decrypt what was sent (RFC 9325 3.4)', async (t) => {
  const files = makeCertificate(temporaryFolder(t), 'a');
  const context = createSecureContext(await readTlsFiles(files, nothing));
  const bare = createSecureContext({ cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) });
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    for (const [server, isResumed] of [[context, false], [bare, true]] as const) {
      const options = { minVersion: version, maxVersion: version };
      const { ticket, session } = await handshake(server, options);
      assert.ok(session !== undefined);
      assert.equal((await handshake(server, { ...options, session })).isReused, isResumed);
      if (version === 'TLSv1.2') assert.equal(ticket !== undefined, isResumed);
    }
  }
});

test('a certificate that has expired or is not valid yet can be used, with a warning', async (t) => {
  const folder = temporaryFolder(t);
  for (const [from, to, message, field] of [
    [-2, -1, 'The TLS certificate has expired.', 'validTo'],
    [1, 2, 'The TLS certificate is not valid yet.', 'validFrom'],
  ] as const) {
    const files = makeCertificate(folder, 'a', [from, to]);
    const text = new X509Certificate(readFileSync(files.certFile))[field];
    const logged: unknown[][] = [];
    await readTlsFiles(files, (...line) => logged.push(line));
    assert.deepEqual(logged, [['warn', message, { file: files.certFile, [field]: text }]]);
    const clock = t.mock.method(Date, 'now', () => Date.parse(text)); // the first or the last moment
    await readTlsFiles(files, nothing);
    clock.mock.restore();
  }
});

const CHAIN = 'a readable PEM file with the certificate, followed by its chain, if any';
const KEY = 'a readable PEM file with an unencrypted private key';
const PAIR_KEY = 'a PEM file with the private key of the first certificate in ';
const USABLE = 'a certificate with a key that clients can use in TLS 1.2 or later';

test('a mistake names the variable, the file, what is accepted and what is wrong', async (t) => {
  const folder = temporaryFolder(t);
  const a = makeCertificate(folder, 'a');
  const cert = readFileSync(a.certFile, 'latin1');
  const locked = createPrivateKey(readFileSync(a.keyFile)).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' });
  for (const [file, content, why] of [
    ['cert', undefined, 'ENOENT'],
    ['cert', '', 'no start line'],
    ['cert', `${cert}-----BEGIN CERTIFICATE-----\nnoise\n-----END CERTIFICATE-----\n`, 'bad base64 decode'],
    ['cert', `${cert}${cert.slice(0, 300)}`, 'bad end line'], // a file of which the end is missing
    ['cert', readFileSync(makeCertificate(folder, 'weak', undefined, 'weak').certFile), 'ee key too small'],
    ['key', undefined, 'ENOENT'],
    ['key', locked, 'routines::'], // bad decrypt or, for one random key in 256, whose padding looks right, unsupported
    ['key', cert, 'unsupported'],
  ] as const) {
    const path = join(folder, content === undefined ? 'missing' : 'file');
    if (content !== undefined) writeFileSync(path, content);
    await refuses({ ...a, [`${file}File`]: path }, `TLS_${file.toUpperCase()}_FILE`, path, file === 'cert' ? CHAIN : KEY, why);
  }
});

/** The files are refused, and the mistake names this variable. */
function refuses(files: TlsFiles, variable: string, path: string, accepted: string, why: string): Promise<void> {
  return assert.rejects(readTlsFiles(files, nothing), ({ reasons, exitCode }) => {
    assert.deepEqual([reasons.length, exitCode], [1, 78]);
    assert.ok(reasons[0].startsWith(`${variable} is "${path}", but must be ${accepted}`) && reasons[0].includes(why), reasons[0]);
    return true;
  });
}

test('mistakes in both files are reported together', () =>
  assert.rejects(readTlsFiles({ certFile: '/missing-a', keyFile: '/missing-b' }, nothing), ({ reasons }) => {
    assert.deepEqual(reasons.map((reason: string) => reason.split(' ', 3)[2]), ['"/missing-a",', '"/missing-b",']);
    return true;
  }));

test('a key of another type or of another certificate is refused, and so is a pair that no client can use', async (t) => {
  const folder = temporaryFolder(t);
  const pairs = (['ec', 'rsa', 'ed25519', 'secp256k1'] as const).map((type) => makeCertificate(folder, type, undefined, type));
  for (const { certFile } of pairs) {
    for (const { keyFile } of pairs) {
      const isPair = keyFile.replace('key', 'cert') === certFile;
      if (!isPair) await refuses({ certFile, keyFile }, 'TLS_KEY_FILE', keyFile, PAIR_KEY, certFile);
      else if (!certFile.includes('secp256k1')) await readTlsFiles({ certFile, keyFile }, nothing);
      else await refuses({ certFile, keyFile }, 'TLS_CERT_FILE', certFile, USABLE, 'ERR_SSL_NO_SUITABLE_SIGNATURE_ALGORITHM');
    }
  }
});

test('key exchanges cost little, and one is safe from quantum computers where OpenSSL has it', () => {
  for (const openssl of ['3.0.19', '3.4.1']) assert.equal(keyExchanges(openssl), 'X25519:P-256');
  for (const openssl of ['3.5', '3.5.0', '3.10.0', '4.0.0']) assert.equal(keyExchanges(openssl), 'X25519MLKEM768:X25519:P-256');
});
