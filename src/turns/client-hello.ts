// How a client begins TLS: with a ClientHello, in one record or in several (RFC 8446 4.1.2 and 5.1). The handshake
// waits until it has come whole: TLS would read the rest by itself, for 900 connections in one iteration.
import type { Socket } from 'node:net';

const MAX_BYTES = 64 * 1024; // browsers send 2 KiB
const MAX_PARTS = 64; // that are kept as they have come: each takes memory, even if it is a byte
const HANDSHAKE = 22; // a type of records
const CLIENT_HELLO = 1; // a type of messages
const RECORD_HEAD = 5; // bytes: the type, two of a version, two of the length
const MESSAGE_HEAD = 4; // bytes: the type, three of the length

/** Returns a reader of what a client begins with. It takes part by part, and says whether its ClientHello is whole. */
export function createHelloReader(): (part: Buffer) => 'incomplete' | 'whole' | 'illegal' {
  let head: Buffer = Buffer.alloc(0); // of the message: each byte may be in a record of its own
  let missing = MESSAGE_HEAD; // bytes of the message in records to come, at least
  let left = 0; // bytes of the newest record that are still to come
  let rest: Buffer = Buffer.alloc(0); // the start of the next record, if it is too short to be read

  return (part) => {
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part]);
    let at = left;
    while (missing > 0 && at < bytes.length) {
      if (bytes[at] !== HANDSHAKE) return 'illegal';
      const start = at + RECORD_HEAD;
      if (start > bytes.length) break;
      const length = bytes.readUInt16BE(start - 2);
      if (length === 0) return 'illegal'; // RFC 8446 5.1
      const headEnd = start + Math.min(length, MESSAGE_HEAD - head.length);
      if (headEnd > bytes.length) break;
      missing -= length;
      if (headEnd > start) {
        head = Buffer.concat([head, bytes.subarray(start, headEnd)]);
        if (head[0] !== CLIENT_HELLO) return 'illegal';
        if (head.length === MESSAGE_HEAD) missing += head.readUIntBE(1, 3);
      }
      at = start + length;
    }
    rest = bytes.subarray(at);
    left = Math.max(0, at - bytes.length);
    return missing <= 0 && left === 0 ? 'whole' : 'incomplete';
  };
}

/** `done` hears whether a ClientHello has come whole, or something else. What has come waits in the socket, paused. */
export function waitForHello(socket: Socket, done: (isWhole: boolean) => void): void {
  const readPart = createHelloReader();
  let parts: Buffer[] = [];
  let length = 0; // of all parts

  function read(part: Buffer): void {
    parts.push(part);
    if (parts.length > MAX_PARTS) parts = [Buffer.concat(parts)];
    length += part.length;
    const state = length > MAX_BYTES ? 'illegal' : readPart(part);
    if (state === 'incomplete') return;
    socket.off('data', read).pause();
    for (const each of parts.toReversed()) socket.unshift(each); // TLS joins them, in the turn
    done(state === 'whole');
  }
  socket.on('data', read).resume(); // a header of a load balancer may have paused it
}
