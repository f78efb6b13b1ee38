// A self-signed X.509 certificate, version 3, in DER: each value is a tag, the length of its contents, and the contents. Section numbers
// are those of RFC 5280, unless another document is named. The tests of TLS would fail on a mistake here.
import { createPublicKey, sign, X509Certificate, type KeyObject } from 'node:crypto';

export type Validity = { readonly from: Date; readonly to: Date };

/** A value with this tag. Its length is one byte up to 127; above, a byte with the number of its bytes precedes it (X.690, 8.1.3). */
function value(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const hex = content.length.toString(16);
  const length = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([Buffer.of(tag), content.length < 128 ? length : Buffer.of(0x80 + length.length, ...length), content]);
}

const integer = (number: number) => value(0x02, Buffer.of(number)); // up to 127
const bitString = (bytes: Uint8Array) => value(0x03, Buffer.of(0), bytes); // 0 bits of the last byte are unused
const octetString = (bytes: Uint8Array) => value(0x04, bytes);
const identifier = (hex: string) => value(0x06, Buffer.from(hex, 'hex'));
const utf8String = (text: string) => value(0x0c, Buffer.from(text));
const sequence = (...values: readonly Uint8Array[]) => value(0x30, ...values);
const set = (...values: readonly Uint8Array[]) => value(0x31, ...values);
const optional = (number: number, inner: Uint8Array) => value(0xa0 + number, inner);
/** A time up to 2049, to the second (section 4.1.2.5.1). */
const time = (date: Date) => value(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));

const COMMON_NAME = identifier('550403'); // 2.5.4.3
const SUBJECT_ALT_NAME = identifier('551d11'); // 2.5.29.17
const SIGNATURE_ALGORITHMS: Readonly<Record<string, Uint8Array>> = {
  ec: sequence(identifier('2a8648ce3d040302')), // 1.2.840.10045.4.3.2, ecdsa-with-SHA256: RFC 5758, section 3.2
  rsa: sequence(identifier('2a864886f70d01010b'), value(0x05)), // 1.2.840.113549.1.1.11, sha256WithRSAEncryption: RFC 4055, section 5
};

/** A certificate for `commonName`, localhost and 127.0.0.1, signed with its own key: an EC or an RSA key. */
export function selfSigned(privateKey: KeyObject, commonName: string, { from, to }: Validity): X509Certificate {
  const algorithm = SIGNATURE_ALGORITHMS[privateKey.asymmetricKeyType ?? ''];
  if (algorithm === undefined) throw new Error(`The key is of type ${privateKey.asymmetricKeyType}, but must be ec or rsa.`);
  const name = sequence(set(sequence(COMMON_NAME, utf8String(commonName)))); // section 4.1.2.4
  // The names that a client compares with the one it connects to (section 4.2.1.6): 2 is a DNS name, 7 an IP address.
  const names = sequence(value(0x82, Buffer.from('localhost')), value(0x87, Buffer.of(127, 0, 0, 1)));
  const toBeSigned = sequence( // section 4.1.2
    optional(0, integer(2)), // version 3 is written as 2
    integer(1), // serial number
    algorithm,
    name, // issuer: the same as the subject
    sequence(time(from), time(to)),
    name, // subject
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }), // the public key and its algorithm, exactly as node exports them
    optional(3, sequence(sequence(SUBJECT_ALT_NAME, octetString(names)))),
  );
  return new X509Certificate(sequence(toBeSigned, algorithm, bitString(sign('sha256', toBeSigned, privateKey)))); // section 4.1.1
}
