// A self-signed X.509 certificate, version 3. Section numbers are those of RFC 5280, unless another document is named.
import { createPublicKey, randomInt, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { bitString, field, integer, objectIdentifier, octetString, sequence, set, utf8String, value } from './der.ts';

export type Validity = { readonly from: Date; readonly to: Date };

const NULL = value(0x05);
const SIGNATURE_ALGORITHMS: Readonly<Record<string, Uint8Array>> = {
  ec: sequence(objectIdentifier('1.2.840.10045.4.3.2')), // ecdsa-with-SHA256: RFC 5758, section 3.2
  rsa: sequence(objectIdentifier('1.2.840.113549.1.1.11'), NULL), // sha256WithRSAEncryption: RFC 4055, section 5
};

/** A certificate for `commonName`, localhost and 127.0.0.1, signed with its own key: an EC or an RSA key. */
export function selfSigned(privateKey: KeyObject, commonName: string, { from, to }: Validity): X509Certificate {
  const algorithm = SIGNATURE_ALGORITHMS[privateKey.asymmetricKeyType ?? ''];
  if (algorithm === undefined) throw new Error(`The key is of type ${privateKey.asymmetricKeyType}, but must be ec or rsa.`);
  const name = sequence(set(sequence(objectIdentifier('2.5.4.3'), utf8String(commonName)))); // section 4.1.2.4; 2.5.4.3 is commonName
  const toBeSigned = sequence( // section 4.1.2
    field(0, integer(2)), // version 3 is written as 2
    integer(randomInt(1, 2 ** 47)), // serial number
    algorithm,
    name, // issuer: the same as the subject
    sequence(time(from), time(to)),
    name, // subject
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }), // the public key and its algorithm (section 4.1.2.7), exactly as node exports them
    field(3, sequence(subjectAltName)),
  );
  const signature = bitString(sign('sha256', toBeSigned, privateKey));
  return new X509Certificate(sequence(toBeSigned, algorithm, signature)); // section 4.1.1
}

/** To the second; the short form without the century up to 2049, the long form from 2050 on (section 4.1.2.5). */
function time(date: Date): Buffer {
  const digits = `${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
  return date.getUTCFullYear() < 2050 ? value(0x17, Buffer.from(digits.slice(2))) : value(0x18, Buffer.from(digits));
}

/** The names that a client compares with the one it connects to (section 4.2.1.6): 2 is a DNS name, 7 an IP address. */
const subjectAltName = sequence(
  objectIdentifier('2.5.29.17'),
  octetString(sequence(value(0x82, Buffer.from('localhost')), value(0x87, Buffer.of(127, 0, 0, 1)))),
);
