// Reads the TLS certificates and the private key, and checks them before a connection needs them.
import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { duplexPair } from 'node:stream';
import { connect, createSecureContext, TLSSocket, type SecureContextOptions } from 'node:tls';
import { isAtLeast } from './configuration.ts';
import type { Log } from './log.ts';
import { EXIT_CODES, mistakeIn, StartError } from './start-error.ts';

export type TlsFiles = { readonly certFile: string; readonly keyFile: string };

// BCP 195 (RFC 9325, sections 3.1.1, 3.4 and 4): TLS 1.2 or later, no renegotiation, and in TLS 1.2 only ciphers with forward secrecy
// and authenticated encryption, in the server's order. No tickets, because OpenSSL would encrypt all of them with the same key.
const POLICY: SecureContextOptions = {
  minVersion: 'TLSv1.2',
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_TICKET,
  ciphers: 'ECDHE+AESGCM:ECDHE+CHACHA20',
  honorCipherOrder: true,
  ecdhCurve: keyExchanges(process.versions.openssl),
};

/** The key exchanges for this version of OpenSSL: cheap ones. With others, a handshake can cost 200 ms of CPU (Node 20: ffdhe8192). */
export function keyExchanges(openssl: string): string {
  return `${isAtLeast(openssl, '3.5') ? 'X25519MLKEM768:' : ''}X25519:P-256`; // X25519MLKEM768 resists quantum computers
}

/** Resolves with both files and the policy above as options for TLS. Rejects with a StartError if they cannot serve any client. */
export async function readTlsFiles({ certFile, keyFile }: TlsFiles, log: Log): Promise<SecureContextOptions> {
  const mistakes: string[] = [];
  function read(variable: string, file: string, accepted: string, check: (pem: Buffer) => object): Buffer | undefined {
    try {
      const pem = readFileSync(file);
      check(pem);
      return pem;
    } catch (error) {
      mistakes.push(mistakeIn(variable, file, `${accepted} (${String(error)})`));
      return undefined;
    }
  }
  // `createSecureContext` throws when OpenSSL cannot read a certificate of the chain, or rejects the key in the first.
  const cert = read('TLS_CERT_FILE', certFile, 'a readable PEM file with the certificate, followed by its chain, if any',
    (pem) => createSecureContext({ cert: pem }));
  const key = read('TLS_KEY_FILE', keyFile, 'a readable PEM file with an unencrypted private key', createPrivateKey);
  if (cert === undefined || key === undefined) throw new StartError(mistakes, EXIT_CODES.configuration);

  const certificate = new X509Certificate(cert), options = { cert, key, ...POLICY };
  const refuse = (mistake: string) => { throw new StartError([mistake], EXIT_CODES.configuration); };
  if (!certificate.checkPrivateKey(createPrivateKey(key))) {
    refuse(mistakeIn('TLS_KEY_FILE', keyFile, `a PEM file with the private key of the first certificate in ${certFile}`));
  }
  await shakeHands(options).catch((error: unknown) =>
    refuse(mistakeIn('TLS_CERT_FILE', certFile, `a certificate with a key that clients can use in TLS 1.2 or later (${String(error)})`)));
  // RFC 5280 4.1.2.5: the certificate is valid from the first of these times to the second. The service uses it before and after, too.
  const { validFrom, validTo } = certificate;
  if (Date.now() < Date.parse(validFrom)) log('warn', 'The TLS certificate is not valid yet.', { file: certFile, validFrom });
  if (Date.parse(validTo) < Date.now()) log('warn', 'The TLS certificate has expired.', { file: certFile, validTo });
  return options;
}

// A handshake with a client that trusts every certificate. Both ends are in memory alone, so neither has to be closed.
async function shakeHands(options: SecureContextOptions): Promise<void> {
  const [carrier, other] = duplexPair();
  const server = new TLSSocket(carrier, { isServer: true, secureContext: createSecureContext(options) });
  const client = connect({ socket: other, rejectUnauthorized: false });
  for (const socket of [server, client]) socket.on('error', () => {}); // without a listener, a later error would end the process
  await Promise.all([once(server, 'secure'), once(client, 'secureConnect')])
    .catch(({ code }: NodeJS.ErrnoException) => { throw new Error(code); }); // the message has a line break, and addresses in memory
}
