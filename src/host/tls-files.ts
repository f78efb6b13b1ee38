// Reads the TLS certificates and the private key, and checks them before a connection needs them.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { duplexPair } from 'node:stream';
import { connect, createSecureContext, createServer, type SecureContextOptions } from 'node:tls';
import type { Log } from './log.ts';
import { mistakeIn, StartError } from './start-error.ts';

export type TlsFiles = { readonly certFile: string; readonly keyFile: string };

// BCP 195 (RFC 9325 3.1.1 and 4): in TLS 1.2 ciphers with forward secrecy and authentication, in the server's order.
const CIPHERS = 'ECDHE+AESGCM:ECDHE+CHACHA20';
const POLICY: SecureContextOptions = { minVersion: 'TLSv1.2', ciphers: CIPHERS, honorCipherOrder: true };

/** Resolves with both files and the policy above as options for TLS. Rejects if they cannot serve any client. */
export async function readTlsFiles({ certFile, keyFile }: TlsFiles, log: Log): Promise<SecureContextOptions> {
  const mistakes: string[] = [];

  function read(variable: string, file: string, accepted: string, check: (pem: Buffer) => object) {
    try {
      const pem = readFileSync(file);
      check(pem);
      return pem;
    } catch (error) {
      mistakes.push(mistakeIn(variable, file, `${accepted} (${String(error)})`));
      return undefined;
    }
  }
  // `createSecureContext` throws when OpenSSL cannot read a certificate of the chain, or rejects the key of the first.
  const checkChain = (pem: Buffer) => createSecureContext({ cert: pem });
  const cert = read('TLS_CERT_FILE', certFile, 'a readable PEM file with the certificate and its chain', checkChain);
  const key = read('TLS_KEY_FILE', keyFile, 'a readable PEM file with an unencrypted private key', createPrivateKey);
  if (cert === undefined || key === undefined) throw new StartError(mistakes);

  const options = { cert, key, ...POLICY };
  await shakeHands(options).catch(({ code }: NodeJS.ErrnoException) => { // the message has memory addresses
    const accepted = `the key of the first certificate in ${certFile}, of a kind for TLS 1.2 or later (${code})`;
    throw new StartError([mistakeIn('TLS_KEY_FILE', keyFile, accepted)]);
  });
  // RFC 5280 4.1.2.5: valid from the first of these times to the second. The service uses it before and after, too.
  const { validFrom, validTo } = new X509Certificate(cert);
  const file = certFile;
  if (Date.now() < Date.parse(validFrom)) log('warn', 'The TLS certificate is not valid yet.', { file, validFrom });
  if (Date.parse(validTo) < Date.now()) log('warn', 'The TLS certificate has expired.', { file, validTo });
  return options;
}

// A handshake with a client that trusts every certificate. Both ends are in memory alone: nothing has to be closed.
async function shakeHands(options: SecureContextOptions): Promise<void> {
  const [carrier, other] = duplexPair();
  const server = createServer(options);
  const finished = new Promise((resolve, reject) =>
    server.once('secureConnection', resolve).once('tlsClientError', reject));
  server.emit('connection', carrier);
  connect({ socket: other, rejectUnauthorized: false }).on('error', () => {}); // the server has the reason
  await finished;
}
