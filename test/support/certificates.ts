// Certificates for tests. They are made with node:crypto in each test, so that no private key is in the repository.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { selfSigned, type Validity } from './self-signed.ts';

export type CertificateFiles = { readonly certFile: string; readonly keyFile: string };

const DAY = 24 * 60 * 60 * 1000; // in ms

/** A folder that is removed when the test ends. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'greeting-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A self-signed certificate for `commonName` and localhost, valid for `days` from now, and its key. With -1 day it expired yesterday. */
export function makeCertificate(folder: string, commonName: string, days = 1): CertificateFiles {
  return write(folder, commonName, days, generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey);
}

/**
 * As makeCertificate, with an RSA key of 512 bits. Every line of Node from 20 to 26 refuses it in TLS as too small;
 * Node 20 and 22 accept 1024 bits.
 */
export function makeWeakCertificate(folder: string, commonName: string): CertificateFiles {
  return write(folder, commonName, 1, generateKeyPairSync('rsa', { modulusLength: 512 }).privateKey);
}

/** As makeCertificate, with an RSA key, for the ciphers that need one. */
export function makeRsaCertificate(folder: string, commonName: string): CertificateFiles {
  return write(folder, commonName, 1, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
}

/** As makeCertificate, followed in the same file by a second certificate of which only the first 100 bytes are there. */
export function makeBrokenChain(folder: string, commonName: string): CertificateFiles {
  const files = makeCertificate(folder, commonName);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const { raw } = selfSigned(privateKey, 'issuer', validity(1));
  const start = raw.subarray(0, 100).toString('base64').replace(/.{64}/g, '$&\n');
  appendFileSync(files.certFile, `-----BEGIN CERTIFICATE-----\n${start}\n-----END CERTIFICATE-----\n`);
  return files;
}

function write(folder: string, commonName: string, days: number, privateKey: KeyObject): CertificateFiles {
  const certFile = join(folder, `${commonName}.cert.pem`);
  const keyFile = join(folder, `${commonName}.key.pem`);
  writeFileSync(certFile, selfSigned(privateKey, commonName, validity(days)).toString());
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return { certFile, keyFile };
}

/** The validity begins now, or, when it ends in the past, a day before its end. */
function validity(days: number): Validity {
  const now = Date.now();
  const to = now + days * DAY;
  return { from: new Date(Math.min(now, to - DAY)), to: new Date(to) };
}
