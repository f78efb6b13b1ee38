// Reads the TLS certificates and the private key, and checks them before a connection needs them.
import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
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

/**
 * The key exchanges for this version of OpenSSL: those that cost little. Of the others one handshake can take 200 ms (Node 20: ffdhe8192),
 * and the client only a message. OpenSSL has the one that is safe from quantum computers from 3.5 on.
 */
export function keyExchanges(openssl: string): string {
  const [major = 0, minor = 0] = openssl.split('.').map(Number);
  return `${100 * major + minor < 305 ? '' : 'X25519MLKEM768:'}X25519:P-256`;
}

/**
 * Reads both files, and returns the context for TLS connections. Throws a StartError that names the file with
 * the mistake, and says what is wrong with it. One that has expired, or is not valid yet, is accepted, with a warning in the log.
 */
export function readTlsFiles({ certFile, keyFile }: TlsFiles, log: Log): SecureContext {
  const cert = attempt('TLS_CERT_FILE', certFile, 'a readable file', () => readFileSync(certFile, 'latin1'));
  const key = attempt('TLS_KEY_FILE', keyFile, 'a readable file', () => readFileSync(keyFile, 'latin1'));
  const certificate = attempt('TLS_CERT_FILE', certFile, 'the certificate in PEM, followed by its chain, if any', () => readChain(cert));
  const privateKey = attempt('TLS_KEY_FILE', keyFile, 'a PEM private key without a passphrase', () => createPrivateKey(key));
  attempt('TLS_CERT_FILE', certFile, 'certificates that OpenSSL accepts for TLS', () => createSecureContext({ cert }));
  const context = attempt('TLS_KEY_FILE', keyFile, 'the private key of the certificate', () => {
    if (!certificate.checkPrivateKey(privateKey)) throw new Error('it belongs to another certificate');
    return createSecureContext({ cert, key, ...POLICY });
  });
  const { validFrom, validTo } = certificate; // both belong to the time (RFC 5280, section 4.1.2.5)
  if (Date.now() < Date.parse(validFrom)) log('warn', 'The TLS certificate is not valid yet.', { file: certFile, validFrom });
  if (Date.parse(validTo) < Date.now()) log('warn', 'The TLS certificate has expired.', { file: certFile, validTo });
  return context;
}

const BEGIN = '-----BEGIN CERTIFICATE-----';

/** Reads all certificates in a PEM text, and returns the first, which is the certificate of the server. */
function readChain(pem: string): X509Certificate {
  const [, first, ...others] = pem.split(BEGIN);
  if (first === undefined) throw new Error('BEGIN CERTIFICATE is missing');
  const certificate = readCertificate(first, 1);
  others.forEach((other, i) => readCertificate(other, i + 2));
  return certificate;
}

function readCertificate(afterBegin: string, number: number): X509Certificate {
  try {
    return new X509Certificate(BEGIN + afterBegin);
  } catch (error) {
    throw new Error(`certificate ${number} in the file cannot be read: ${String(error)}`, { cause: error });
  }
}

function attempt<T>(variable: string, file: string, accepted: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new StartError([mistakeIn(variable, file, `${accepted} (${String(error)})`)], EXIT_CODES.configuration, error);
  }
}
