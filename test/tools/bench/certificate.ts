// The certificate of the servers that are measured.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '../../support/certificates.ts';
import type { Environment } from './processes.ts';

/** What makes a server listen for HTTPS, too. The files of the certificate are removed at the end of this process. */
export function tlsEnvironment(): Environment {
  const folder = mkdtempSync(join(tmpdir(), 'greeting-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  const { certFile, keyFile } = makeCertificate(folder, 'localhost');
  return { HTTPS_PORT: '0', TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
}
