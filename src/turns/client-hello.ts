// How a client begins TLS: with a ClientHello, in one record or in several (RFC 8446 4.1.2 and 5.1). The handshake
// waits until it has come whole: TLS would read the rest by itself, for 900 connections in one iteration.
import type { Socket } from 'node:net';

const MAX_BYTES = 64 * 1024; // browsers send 2 KiB
const MAX_PARTS = 64; // that are kept as they have come: each takes memory, even if it is a byte
const HANDSHAKE = 22; // a type of records
const CLIENT_HELLO = 1; // a type of messages
const RECORD_HEAD = 5; // bytes: the type, two of a version, two of the length
const MESSAGE_HEAD = 4; // bytes: the type, three of the length

/** Reads what a client begins with, in parts of any length. */
export class HelloReader {
  #head = 0; // of the message, as a number: each of its bytes may be in a record of its own
  #headBytes = 0;
  #missing = MESSAGE_HEAD; // bytes of the message in records to come, at least
  #left = 0; // bytes of the newest record that are still to come
  #rest: Buffer = Buffer.alloc(0); // the start of the next record, if it is too short to be read

  /** Returns whether the ClientHello is whole, with its last record, or can be none. */
  read(part: Buffer): 'incomplete' | 'whole' | 'illegal' {
    let at = this.#left;
    if (this.#rest.length > 0) {
      // Faster: that is enough, and all of the part would take 40 µs.
      const joined = Buffer.concat([this.#rest, part.subarray(0, RECORD_HEAD + MESSAGE_HEAD)]);
      at = this.#readRecords(joined, 0) - this.#rest.length;
      this.#rest = joined;
    }
    if (at < 0) return 'incomplete';
    at = this.#readRecords(part, at);
    if (at === Infinity) return 'illegal';
    this.#rest = part.subarray(at);
    this.#left = Math.max(0, at - part.length);
    return this.#missing <= 0 && this.#left === 0 ? 'whole' : 'incomplete';
  }

  // Returns where the next record begins: at the end, beyond it, or where too little of it has come. Infinity: illegal.
  #readRecords(bytes: Buffer, from: number): number {
    const { length } = bytes;
    let at = from;
    while (this.#missing > 0 && at < length) {
      if (bytes[at] !== HANDSHAKE) return Infinity;
      const start = at + RECORD_HEAD;
      if (start > length) break;
      const size = bytes.readUInt16BE(start - 2);
      if (size === 0) return Infinity; // RFC 8446 5.1
      const headEnd = start + Math.min(size, MESSAGE_HEAD - this.#headBytes);
      if (headEnd > length) break;
      this.#missing -= size;
      if (headEnd > start && !this.#readHead(bytes.subarray(start, headEnd))) return Infinity;
      at = start + size;
    }
    return at;
  }

  // Returns whether the message may be a ClientHello.
  #readHead(bytes: Buffer): boolean {
    for (const byte of bytes) this.#head = this.#head << 8 | byte;
    this.#headBytes += bytes.length;
    if (this.#headBytes < MESSAGE_HEAD) return true;
    this.#missing += this.#head & 0xffffff;
    return this.#head >>> 24 === CLIENT_HELLO;
  }
}

/** `done` hears whether a ClientHello has come whole, or something else. What has come waits in the socket, paused. */
export function waitForHello(socket: Socket, done: (isWhole: boolean) => void): void {
  const reader = new HelloReader();
  let parts: Buffer[] = [];
  let length = 0; // of all parts

  function read(part: Buffer): void {
    parts.push(part);
    if (parts.length > MAX_PARTS) parts = [Buffer.concat(parts)];
    length += part.length;
    const state = length > MAX_BYTES ? 'illegal' : reader.read(part);
    if (state === 'incomplete') return;
    socket.off('data', read).pause();
    for (const each of parts.toReversed()) socket.unshift(each); // TLS joins them, in the turn
    done(state === 'whole');
  }
  socket.on('data', read).resume(); // a header of a load balancer may have paused it
}
