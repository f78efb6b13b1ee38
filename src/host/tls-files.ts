// The certificate and its key: read, and checked before anyone depends on them.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { StartError } from './last-words.ts';
import type { Log } from './log.ts';

export type TlsFiles = { readonly certFile: string; readonly keyFile: string };

/**
 * Reads both files, as node's TLS servers take them. Throws a StartError that says what is wrong with
 * which of them; an expired certificate can be used, with a warning in the log.
 */
export function readTlsFiles({ certFile, keyFile }: TlsFiles, log: Log): SecureContextOptions {
  const cert = parse('TLS_CERT_FILE', certFile, 'a readable file', () => readFileSync(certFile, 'latin1'));
  const key = parse('TLS_KEY_FILE', keyFile, 'a readable file', () => readFileSync(keyFile, 'latin1'));
  const certificate = parse('TLS_CERT_FILE', certFile, 'a PEM certificate', () => {
    if (!cert.includes('-----BEGIN CERTIFICATE-----')) throw new Error('BEGIN CERTIFICATE is missing');
    return new X509Certificate(cert);
  });
  const privateKey = parse('TLS_KEY_FILE', keyFile, 'a PEM private key without a passphrase', () => createPrivateKey(key));
  const context: SecureContextOptions = { cert, key, minVersion: 'TLSv1.2' }; // RFC 8996
  parse('TLS_KEY_FILE', keyFile, 'the private key of the certificate', () => {
    if (!certificate.checkPrivateKey(privateKey)) throw new Error('it is another one');
    return createSecureContext(context);
  });
  if (Date.parse(certificate.validTo) < Date.now()) {
    log('warn', 'The TLS certificate has expired.', { file: certFile, validTo: certificate.validTo });
  }
  return context;
}

function parse<T>(variable: string, file: string, accepted: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new StartError([`${variable} is ${JSON.stringify(file)}, but must be ${accepted} (${String(error)}).`], error);
  }
}
