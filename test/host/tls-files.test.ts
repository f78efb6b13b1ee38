import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { duplexPair } from 'node:stream';
import { test } from 'node:test';
import tls, { type ConnectionOptions, type SecureContext } from 'node:tls';
import { keyExchanges, readTlsFiles } from '../../src/host/tls-files.ts';
import { folderOfProcess, makeCertificate, type KeyType } from '../support/certificates.ts';

const folder = folderOfProcess();
const make = (key: KeyType) => makeCertificate(folder, key, [0, 1], key);
const [ec, rsa, secp256k1, weak] = [make('ec'), make('rsa'), make('secp256k1'), make('weak')];
const [ofEc, ofRsa] = [ec, rsa].map((pair) => ({ cert: readFileSync(pair.certFile), key: readFileSync(pair.keyFile) }));
assert.ok(ofEc && ofRsa);

const nothing = () => assert.fail('nothing should be logged');

/** Writes a file, and returns its path. */
function fileOf(content: string | Buffer, name: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

// The contexts of the service, and of a server without a policy.
const chain = { certFile: fileOf(Buffer.concat([ofRsa.cert, ofEc.cert]), 'chain'), keyFile: rsa.keyFile };
const context = tls.createSecureContext(await readTlsFiles(chain, nothing));
const bare = tls.createSecureContext(ofRsa);

/** What a client sees of a server: the certificate, the cipher that was agreed on, and its session. */
async function handshake(secureContext: SecureContext, options: ConnectionOptions = {}) {
  const [server, carrier] = duplexPair();
  const accepted = new tls.TLSSocket(server, { isServer: true, secureContext }).on('error', () => {});
  const client = tls.connect({ socket: carrier, rejectUnauthorized: false, ...options });
  let session: Buffer | undefined; // in TLS 1.3 it follows the handshake
  client.on('session', (given) => { session = given; });
  await once(client, 'secureConnect');
  accepted.write('.');
  await once(client, 'data');
  return { client, cipher: client.getCipher().name, session };
}

const inTls12 = (...ciphers: readonly string[]) => ({ maxVersion: 'TLSv1.2', ciphers: ciphers.join(':') }) as const;

test('a certificate, its chain and its key are used, and of what a client offers the server chooses', async () => {
  const { client } = await handshake(context);
  assert.equal(client.getPeerX509Certificate()?.fingerprint256, new X509Certificate(ofRsa.cert).fingerprint256);
  const best = ['ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'];
  for (const offered of [best, best.toReversed()]) {
    assert.equal((await handshake(context, inTls12(...offered))).cipher, best[0]);
  }
  for (const ciphers of tls.DEFAULT_CIPHERS.split(':').filter((name) => name.startsWith('TLS_'))) {
    assert.equal((await handshake(context, { minVersion: 'TLSv1.3', ciphers })).cipher, ciphers);
  }
});

test('nothing is offered that is not secret for ever, or not authenticated, or costly', async () => {
  await assert.rejects(handshake(context, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }));
  for (const options of [
    ...['AES128-SHA', 'AES256-GCM-SHA384', 'ECDHE-RSA-AES128-SHA'].map((cipher) => inTls12(cipher)),
    { ecdhCurve: 'P-384' },
  ]) {
    await handshake(bare, options);
    await assert.rejects(handshake(context, options), /alert handshake failure/);
  }
});

test('no session is resumed or negotiated again; TLS 1.2 gives no ticket, as its key could decrypt all', async () => {
  for (const [server, isResumed, answer] of [[context, false, /no renegotiation/], [bare, true, /^null$/]] as const) {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) { // RFC 9325 3.4
      const options = { minVersion: version, maxVersion: version };
      const { client, session } = await handshake(server, options);
      assert.ok(session !== undefined);
      assert.equal((await handshake(server, { ...options, session })).client.isSessionReused(), isResumed);
      if (version === 'TLSv1.2') assert.equal(client.getTLSTicket() !== undefined, isResumed);
    }
    const { client } = await handshake(server, { maxVersion: 'TLSv1.2' });
    const again = new Promise((resolve) => client.on('error', resolve).renegotiate({}, resolve));
    assert.match(String(await again), answer);
  }
});

test('a certificate that has expired or is not valid yet can be used, with a warning', async (t) => {
  for (const [from, to, message, field] of [
    [-2, -1, 'The TLS certificate has expired.', 'validTo'],
    [1, 2, 'The TLS certificate is not valid yet.', 'validFrom'],
  ] as const) {
    const files = makeCertificate(folder, 'old', [from, to]);
    const text = new X509Certificate(readFileSync(files.certFile))[field];
    const logged: unknown[][] = [];
    await readTlsFiles(files, (...line) => logged.push(line));
    assert.deepEqual(logged, [['warn', message, { file: files.certFile, [field]: text }]]);
    const clock = t.mock.method(Date, 'now', () => Date.parse(text)); // the first or the last moment
    await readTlsFiles(files, nothing);
    clock.mock.restore();
  }
});

const CHAIN = 'a readable PEM file with the certificate and its chain (';
const UNENCRYPTED = 'a readable PEM file with an unencrypted private key (';
const badCert = (file: string) => `TLS_CERT_FILE is "${file}", but must be ${CHAIN}`;
const badKey = (file: string, accepted = UNENCRYPTED) => `TLS_KEY_FILE is "${file}", but must be ${accepted}`;
const notOf = (certFile: string) => `the key of the first certificate in ${certFile}, of a kind for TLS 1.2 or later (`;

test('a mistake names the variable, the file, what is accepted and what is wrong', async () => {
  const noise = '-----BEGIN CERTIFICATE-----\nnoise\n-----END CERTIFICATE-----\n';
  const encryption = { type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' } as const;
  const locked = fileOf(createPrivateKey(ofEc.key).export(encryption), 'locked');
  const [a, b] = [fileOf('', 'a'), fileOf(`${ofEc.cert}${noise}`, 'b')];
  const c = fileOf(`${ofEc.cert}${ofEc.cert}`.slice(0, -9), 'c'); // its end is missing
  const { certFile, keyFile } = makeCertificate(folder, 'other');
  const unfit = (cert: string, key: string) => [cert, key, [badKey(key, notOf(cert)), 'ERR_']] as const;
  for (const [cert, key, ...mistakes] of [
    [a, keyFile, [badCert(a), 'no start line']], [b, keyFile, [badCert(b), 'bad base64 decode']],
    [c, keyFile, [badCert(c), 'bad end line']],
    [weak.certFile, weak.keyFile, [badCert(weak.certFile), 'ee key too small']],
    [certFile, locked, [badKey(locked), 'routines::']], // mostly bad decrypt
    ['/missing-a', '/missing-b', [badCert('/missing-a'), 'ENOENT'], [badKey('/missing-b'), 'ENOENT']],
    unfit(ec.certFile, rsa.keyFile), unfit(rsa.certFile, ec.keyFile), unfit(ec.certFile, keyFile),
    unfit(secp256k1.certFile, secp256k1.keyFile), // no client can use it
  ] as const) {
    await assert.rejects(readTlsFiles({ certFile: cert, keyFile: key }, nothing), ({ reasons, exitCode }) => {
      assert.deepEqual([reasons.length, exitCode], [mistakes.length, 78]);
      for (const [i, [beginning, part]] of mistakes.entries()) {
        const reason = String(reasons[i]);
        assert.ok(reason.startsWith(beginning) && reason.includes(part) && !reason.includes('\n'), reason);
      }
      return true;
    });
  }
});

test('key exchanges cost little, and one is safe from quantum computers where OpenSSL has it', () => {
  for (const openssl of ['3.0.19', '3.4.1']) assert.equal(keyExchanges(openssl), 'X25519:P-256');
  for (const openssl of ['3.5', '3.10.0', '4.0.0']) assert.equal(keyExchanges(openssl), 'X25519MLKEM768:X25519:P-256');
});
