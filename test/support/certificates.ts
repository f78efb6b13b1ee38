// TLS for tests. Certificates are made with node:crypto in each test, so that no private key is in the repository.
import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duplexPair } from 'node:stream';
import type { TestContext } from 'node:test';
import { connect } from 'node:tls';

/** A folder that is removed when the test `t` or, without it, this process ends. */
export function temporaryFolder(t?: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-'));
  const remove = () => rmSync(folder, { recursive: true });
  if (t === undefined) process.once('exit', remove);
  else t.after(remove);
  return folder;
}

/** The variables that make a process listen for HTTPS as well, on a free port. */
export function tlsVariables(privateKey = makeKey()) {
  const { certFile, keyFile } = makeCertificate(temporaryFolder(), 'localhost', [0, 1], privateKey);
  return { HTTPS_PORT: '0', TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
}

/** Options of a server: a new certificate and its key. */
export function tlsOptions(t: TestContext) {
  const { certFile, keyFile } = makeCertificate(temporaryFolder(t), 'localhost');
  return { cert: readFileSync(certFile), key: readFileSync(keyFile) };
}

/** The first record of a client. */
export async function clientHello(): Promise<Buffer> {
  const [below, other] = duplexPair();
  connect({ socket: below }).on('error', () => {});
  const [record] = await once(other, 'data');
  return record;
}

const makeKey = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;

/** A self-signed certificate for `name`, and its key. It is valid between two days, counted from now. */
export function makeCertificate(folder: string, name: string, days = [0, 1], privateKey = makeKey()) {
  const [certFile, keyFile] = [join(folder, `${name}.cert.pem`), join(folder, `${name}.key.pem`)];
  const certificate = selfSigned(privateKey, name, days.map((day) => new Date(Date.now() + day * 86_400_000)));
  const lines = certificate.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  writeFileSync(certFile, `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`);
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return { certFile, keyFile };
}

const sequence = (...values: readonly Uint8Array[]) => value(0x30, ...values);
const identifier = (hex: string) => value(0x06, Buffer.from(hex, 'hex'));
// A time up to 2049, to the second (section 4.1.2.5.1).
const time = (date: Date) => value(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));

const ECDSA = sequence(identifier('2a8648ce3d040302')); // ecdsa-with-SHA256: RFC 5758, section 3.2
const RSA = sequence(identifier('2a864886f70d01010b'), value(0x05)); // sha256WithRSAEncryption: RFC 4055, section 5

// An X.509 certificate, version 1, signed with its own key (RFC 5280), in DER.
function selfSigned(privateKey: KeyObject, commonName: string, validity: readonly Date[]): Buffer {
  const algorithm = privateKey.asymmetricKeyType === 'rsa' ? RSA : ECDSA;
  // 2.5.4.3, section 4.1.2.4
  const name = sequence(value(0x31, sequence(identifier('550403'), value(0x0c, Buffer.from(commonName)))));
  const toBeSigned = sequence( // section 4.1.2
    value(0x02, Buffer.of(1)), // serial number
    algorithm, name, // of whoever has signed it
    sequence(...validity.map(time)), name, createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
  );
  const signature = value(0x03, Buffer.of(0), sign('sha256', toBeSigned, privateKey)); // 0 bits are unused
  return sequence(toBeSigned, algorithm, signature); // section 4.1.1
}

// A value in DER (X.690, 8.1.3): its tag, the length of its contents in one to three bytes, and them.
function value(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...(length < 128 ? [length] : long)), content]);
}
