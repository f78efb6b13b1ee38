import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { duplexPair } from 'node:stream';
import { test } from 'node:test';
import tls, { type ConnectionOptions } from 'node:tls';
import { readTlsFiles, type TlsFiles } from '../../src/host/tls-files.ts';
import { makeCertificate, temporaryFolder } from '../support/certificates.ts';

const folder = temporaryFolder();
const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const oddKey = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey; // no TLS client has it
const [ec, rsa] = [makeCertificate(folder, 'ec'), makeCertificate(folder, 'rsa', [0, 1], rsaKey)];
const nothing = () => assert.fail('nothing should be logged');

appendFileSync(rsa.certFile, readFileSync(ec.certFile)); // as the rest of its chain
const secureContext = tls.createSecureContext(await readTlsFiles(rsa, nothing));

async function handshake(options: ConnectionOptions) {
  const [server, carrier] = duplexPair();
  new tls.TLSSocket(server, { isServer: true, secureContext }).on('error', () => {});
  const client = tls.connect({ socket: carrier, rejectUnauthorized: false, ...options });
  await once(client, 'secureConnect');
  return client;
}

const inTls12 = (...ciphers: readonly string[]) => ({ maxVersion: 'TLSv1.2', ciphers: ciphers.join(':') }) as const;

test('the first certificate and its key are used, and of what a client offers the server chooses', async () => {
  const best = ['ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'];
  for (const offered of [best, best.toReversed()]) {
    const client = await handshake(inTls12(...offered));
    assert.equal(client.getCipher().name, best[0]);
  }
});

test('nothing is offered that is not secret for ever, or not authenticated', async () => {
  await assert.rejects(handshake({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }));
  const ciphers = ['AES128-SHA', 'AES256-GCM-SHA384', 'ECDHE-RSA-AES128-SHA'];
  for (const cipher of ciphers) await assert.rejects(handshake(inTls12(cipher)), /alert handshake failure/);
});

test('a certificate that has expired or is not valid yet can be used, with a warning', async (t) => {
  const file = ec.certFile;
  const { validFrom, validTo } = new X509Certificate(readFileSync(file));
  for (const [moment, ms, ...expected] of [
    [validFrom, -1, ['warn', 'The TLS certificate is not valid yet.', { file, validFrom }]], [validFrom, 0],
    [validTo, 1, ['warn', 'The TLS certificate has expired.', { file, validTo }]], [validTo, 0],
  ] as const) {
    const clock = t.mock.method(Date, 'now', () => Date.parse(moment) + ms);
    const logged: unknown[][] = [];
    await readTlsFiles(ec, (...line) => logged.push(line));
    assert.deepEqual(logged, expected);
    clock.mock.restore();
  }
});

test('a mistake names the variable, the file, what is accepted and what is wrong', async () => {
  const [empty, noisy] = [makeCertificate(folder, 'empty'), makeCertificate(folder, 'noisy')];
  writeFileSync(empty.certFile, '');
  appendFileSync(noisy.certFile, '-----BEGIN CERTIFICATE-----\nnoise\n-----END CERTIFICATE-----\n');
  const [locked, odd] = [makeCertificate(folder, 'locked'), makeCertificate(folder, 'odd', [0, 1], oddKey)];
  const encryption = { type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' } as const;
  writeFileSync(locked.keyFile, oddKey.export(encryption));
  const WHY = /\(.*(no start line|bad base64 decode|routines::|ENOENT|ERR_).*\)\.$/;
  const noCert = (file: string, why: string) =>
    `TLS_CERT_FILE is "${file}", but must be a readable PEM file with the certificate and its chain (${why}).`;
  const noKey = (file: string, why: string) =>
    `TLS_KEY_FILE is "${file}", but must be a readable PEM file with an unencrypted private key (${why}).`;
  const unfit = ({ certFile }: TlsFiles, { keyFile }: TlsFiles) => {
    const accepted = `the key of the first certificate in ${certFile}, of a kind for TLS 1.2 or later`;
    return [{ certFile, keyFile }, `TLS_KEY_FILE is "${keyFile}", but must be ${accepted} (ERR_).`] as const;
  };
  for (const [files, ...expected] of [
    [empty, noCert(empty.certFile, 'no start line')], [noisy, noCert(noisy.certFile, 'bad base64 decode')],
    [locked, noKey(locked.keyFile, 'routines::')], // mostly bad decrypt
    [{ certFile: '/a', keyFile: '/b' }, noCert('/a', 'ENOENT'), noKey('/b', 'ENOENT')],
    unfit(ec, rsa), unfit(rsa, ec), unfit(ec, odd), unfit(odd, odd),
  ] as const) {
    await assert.rejects(readTlsFiles(files, nothing), ({ reasons, exitCode }) => {
      const brief = reasons.map((reason: string) => reason.replace(WHY, '($1).'));
      assert.deepEqual([brief, exitCode], [expected, 78]);
      return true;
    });
  }
});
