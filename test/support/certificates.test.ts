// Tests that the certificates for tests have the properties that the other tests need.
import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createSecureContext } from 'node:tls';
import { makeBrokenChain, makeCertificate, makeWeakCertificate, temporaryFolder, type CertificateFiles } from './certificates.ts';
import { selfSigned } from './self-signed.ts';

function read({ certFile, keyFile }: CertificateFiles) {
  const [cert, key] = [readFileSync(certFile, 'latin1'), readFileSync(keyFile, 'latin1')];
  return { cert, key, certificate: new X509Certificate(cert), privateKey: createPrivateKey(key) };
}

test('a certificate names its subject and localhost, and is signed with its own key', (t) => {
  const { cert, key, certificate, privateKey } = read(makeCertificate(temporaryFolder(t), 'Ada'));
  assert.equal(certificate.subject, 'CN=Ada');
  assert.equal(certificate.issuer, 'CN=Ada');
  assert.equal(certificate.subjectAltName, 'DNS:localhost, IP Address:127.0.0.1');
  assert.equal(privateKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
  assert.ok(certificate.checkPrivateKey(privateKey));
  assert.ok(certificate.verify(createPublicKey(privateKey)));
  assert.ok(!certificate.verify(generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey));
  createSecureContext({ cert, key });
});

test('a certificate is valid from now for the given number of days, or has expired', (t) => {
  const folder = temporaryFolder(t);
  const day = 24 * 60 * 60 * 1000;
  for (const [days, validDays] of [[1, 1], [30, 30], [-1, 1]] as const) {
    const { certificate } = read(makeCertificate(folder, 'a', days));
    const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
    assert.equal(to - from, validDays * day);
    assert.ok(from <= Date.now());
    assert.equal(to > Date.now(), days > 0);
  }
});

test('a validity is written to the second, before 2050 and from then on', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const validity = { from: new Date('2049-12-31T23:59:59.999Z'), to: new Date('2050-01-01T00:00:00Z') };
  const { validFrom, validTo } = selfSigned(privateKey, 'a', validity);
  assert.deepEqual([validFrom, validTo], ['Dec 31 23:59:59 2049 GMT', 'Jan  1 00:00:00 2050 GMT']);
});

test('a weak certificate is valid, but TLS refuses its key as too small', (t) => {
  const { cert, key, certificate, privateKey } = read(makeWeakCertificate(temporaryFolder(t), 'weak'));
  assert.equal(certificate.subject, 'CN=weak');
  assert.equal(privateKey.asymmetricKeyDetails?.modulusLength, 512);
  assert.ok(certificate.checkPrivateKey(privateKey));
  assert.ok(certificate.verify(createPublicKey(privateKey)));
  assert.throws(() => createSecureContext({ cert, key }), { code: 'ERR_SSL_EE_KEY_TOO_SMALL' });
});

test('the first certificate of a broken chain is valid, but TLS refuses the second', (t) => {
  const { cert, key, certificate, privateKey } = read(makeBrokenChain(temporaryFolder(t), 'chain'));
  assert.equal(cert.split('-----BEGIN CERTIFICATE-----').length - 1, 2);
  assert.equal(certificate.subject, 'CN=chain');
  assert.ok(certificate.checkPrivateKey(privateKey));
  assert.throws(() => createSecureContext({ cert, key }), { code: 'ERR_OSSL_ASN1_TOO_LONG' });
  createSecureContext({ cert: certificate.toString(), key });
});
