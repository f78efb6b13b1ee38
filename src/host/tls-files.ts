// Reads the TLS certificates and the private key, and checks them before a connection needs them.
import { constants, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { isAtLeast } from './configuration.ts';
import type { Log } from './log.ts';
import { EXIT_CODES, mistakeIn, StartError } from './start-error.ts';

export type TlsFiles = { readonly certFile: string; readonly keyFile: string };

// BCP 195 (RFC 9325, sections 3.1.1, 3.4 and 4): TLS 1.2 or later, no renegotiation, and in TLS 1.2 only ciphers with forward secrecy
// and authenticated encryption, in the server's order.
const POLICY: SecureContextOptions = {
  minVersion: 'TLSv1.2',
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  ciphers: 'ECDHE+AESGCM:ECDHE+CHACHA20',
  honorCipherOrder: true,
  ecdhCurve: keyExchanges(process.versions.openssl),
};

/** The key exchanges for this version of OpenSSL: cheap ones. With others, a handshake can cost 200 ms of CPU (Node 20: ffdhe8192). */
export function keyExchanges(openssl: string): string {
  return `${isAtLeast(openssl, '3.5') ? 'X25519MLKEM768:' : ''}X25519:P-256`; // X25519MLKEM768 resists quantum computers
}

/** Reads both files, and returns the context for TLS connections. Throws a StartError that says which file is wrong, and how. */
export function readTlsFiles({ certFile, keyFile }: TlsFiles, log: Log): SecureContext {
  const cert = attempt('TLS_CERT_FILE', certFile, 'a readable PEM file with the certificate, followed by its chain, if any', () => {
    const pem = readFileSync(certFile);
    createSecureContext({ cert: pem }); // throws when OpenSSL cannot read a certificate of the chain, or rejects the key in the first
    return pem;
  });
  const context = attempt('TLS_KEY_FILE', keyFile, 'a readable PEM file with the unencrypted private key of the certificate', () =>
    createSecureContext({ cert, key: readFileSync(keyFile), ...POLICY }));
  // RFC 5280 4.1.2.5: the certificate is valid from the first of these times to the second. The service uses it before and after, too.
  const { validFrom, validTo } = new X509Certificate(cert);
  if (Date.now() < Date.parse(validFrom)) log('warn', 'The TLS certificate is not valid yet.', { file: certFile, validFrom });
  if (Date.parse(validTo) < Date.now()) log('warn', 'The TLS certificate has expired.', { file: certFile, validTo });
  return context;
}

function attempt<T>(variable: string, file: string, accepted: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new StartError([mistakeIn(variable, file, `${accepted} (${String(error)})`)], EXIT_CODES.configuration, error);
  }
}
