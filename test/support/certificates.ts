// Certificates for tests. They are made with node:crypto in each test, so that no private key is in the repository.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { selfSigned } from './self-signed.ts';

type Days = readonly [from: number, to: number];

const KEYS = {
  ec: () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
  rsa: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  weak: () => generateKeyPairSync('rsa', { modulusLength: 512 }), // too small for TLS on every line of Node; 20 and 22 accept 1024 bits
};
const DAY = 24 * 60 * 60 * 1000; // in ms

/** A folder that is removed when the test ends. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'greeting-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A folder that is removed when this process ends. */
export function folderOfProcess(): string {
  const folder = mkdtempSync(join(tmpdir(), 'greeting-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  return folder;
}

/** The variables that make a process listen for HTTPS, too, on a free port. */
export function tlsVariables() {
  const { certFile, keyFile } = makeCertificate(folderOfProcess(), 'localhost');
  return { HTTPS_PORT: '0', TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
}

/** A self-signed certificate for `commonName` and localhost, and its key. It is valid between two days, counted from now. */
export function makeCertificate(folder: string, commonName: string, days: Days = [0, 1], key: keyof typeof KEYS = 'ec') {
  const { privateKey } = KEYS[key]();
  const [from, to] = [new Date(Date.now() + days[0] * DAY), new Date(Date.now() + days[1] * DAY)];
  const [certFile, keyFile] = [join(folder, `${commonName}.cert.pem`), join(folder, `${commonName}.key.pem`)];
  writeFileSync(certFile, selfSigned(privateKey, commonName, { from, to }).toString());
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return { certFile, keyFile };
}
