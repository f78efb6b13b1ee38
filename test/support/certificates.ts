// Certificates for tests, made anew by the openssl program: no private key is ever committed.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export type CertificateFiles = { readonly certFile: string; readonly keyFile: string };

/** A folder that is removed when the test ends. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'greeting-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A self-signed certificate for `commonName` and localhost, and its key; expired yesterday, if wanted. */
export function makeCertificate(folder: string, commonName: string, days = 1): CertificateFiles {
  const certFile = join(folder, `${commonName}.cert.pem`);
  const keyFile = join(folder, `${commonName}.key.pem`);
  const request = join(folder, `${commonName}.csr.pem`);
  const openssl = (...words: readonly string[]) => execFileSync('openssl', words, { stdio: 'pipe' });
  openssl('req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile, '-out', request, '-subj', `/CN=${commonName}`);
  openssl('x509', '-req', '-in', request, '-signkey', keyFile, '-days', String(days), '-out', certFile);
  return { certFile, keyFile };
}
