// How a client begins TLS: with a ClientHello, in one record or in several (RFC 8446 4.1.2 and 5.1). The handshake
// waits until it has come whole: TLS would read the rest by itself, for 900 connections in one iteration.

const MAX_BYTES = 16 * 1024; // browsers send 2 KiB
const MAX_RECORDS = 64; // all are read again with each packet
const HANDSHAKE = 22; // a type of records
const CLIENT_HELLO = 1; // a type of messages
const RECORD_HEAD = 5; // bytes: the type, two of a version, two of the length
const MESSAGE_HEAD = 4; // bytes: the type, three of the length

/** Tells a client that speaks TLS, but does not begin with a ClientHello: a fatal unexpected_message (RFC 8446 6.2). */
export const ALERT = Buffer.of(21, 3, 3, 0, 2, 2, 10);

/** Looks for a ClientHello in all that has come. Undefined: it can be none. The length is 0, because TLS reads it. */
export function readHello(bytes: Buffer): { readonly length: 0 } | 'incomplete' | undefined {
  let head: Buffer = Buffer.of(); // of the message: each of its bytes may be in a record of its own
  let size = 0; // of the message, as far as it has come
  let at = 0; // where the next record begins
  for (let records = 0; records < MAX_RECORDS; records += 1) {
    const start = at + RECORD_HEAD;
    const length = bytes.length < start ? Infinity : bytes.readUInt16BE(start - 2);
    if (length === 0 || (bytes.length > at && bytes[at] !== HANDSHAKE)) return undefined; // RFC 8446 5.1
    if (bytes.length < start + length) return bytes.length < MAX_BYTES ? 'incomplete' : undefined;
    at = start + length;
    size += length;
    head = Buffer.concat([head, bytes.subarray(start, at)]).subarray(0, MESSAGE_HEAD);
    if (head[0] !== CLIENT_HELLO) return undefined;
    if (head.length === MESSAGE_HEAD && size >= MESSAGE_HEAD + head.readUIntBE(1, 3)) return { length: 0 };
  }
  return undefined;
}
