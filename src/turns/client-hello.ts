// How a client begins TLS: with a ClientHello, in one record or in several (RFC 8446 4.1.2 and 5.1). The handshake
// waits until it has come whole: TLS would read the rest by itself, for 900 connections in one iteration.
import type { Socket } from 'node:net';

const MAX_BYTES = 64 * 1024; // with the heads of records; browsers send 2 KiB
const MAX_PARTS = 64; // that are kept as they have come: a Buffer of one byte takes 200
const HANDSHAKE = 22; // a type of records
const CLIENT_HELLO = 1; // a type of messages
const RECORD_HEAD = 5; // bytes: the type, two of a version, two of the length
const MESSAGE_HEAD = 4; // bytes: the type, three of the length

/** Reads what a client begins with, in parts of any length. Each byte of the message may be in a record of its own. */
export class HelloReader {
  #bytes = 0; // that have come
  #missing = MESSAGE_HEAD; // bytes of the message in records to come, at least
  #head = 0; // of the message, as a number
  #headBytes = 0;
  #next = 0; // where the next record begins
  #rest: Buffer = Buffer.alloc(0); // what has come of that, if it is too little

  /** Returns whether the ClientHello is whole, with its last record, or can be none. */
  read(part: Buffer): 'incomplete' | 'whole' | 'illegal' {
    this.#bytes += part.length;
    if (this.#bytes > MAX_BYTES) return 'illegal';
    const bytes = this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part]);
    const before = this.#bytes - bytes.length;
    let at = this.#next - before;
    while (this.#missing > 0 && at < bytes.length) {
      if (bytes[at] !== HANDSHAKE) return 'illegal';
      const start = at + RECORD_HEAD;
      if (start > bytes.length) break;
      const length = bytes.readUInt16BE(start - 2);
      if (length === 0) return 'illegal'; // RFC 8446 5.1
      const headEnd = start + Math.min(length, MESSAGE_HEAD - this.#headBytes);
      if (headEnd > bytes.length) break;
      this.#missing -= length;
      if (headEnd > start && !this.#readHead(bytes.subarray(start, headEnd))) return 'illegal';
      at = start + length;
    }
    this.#next = before + at;
    this.#rest = bytes.subarray(at);
    return this.#missing <= 0 && this.#next <= this.#bytes ? 'whole' : 'incomplete';
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

/** `done` hears whether a ClientHello has come, or something else. All that has come stays in the socket, paused. */
export function waitForHello(socket: Socket, done: (isWhole: boolean) => void): void {
  const reader = new HelloReader();
  let parts: Buffer[] = [];

  function read(part: Buffer): void {
    parts.push(part);
    if (parts.length > MAX_PARTS) parts = [Buffer.concat(parts)];
    const state = reader.read(part);
    if (state === 'incomplete') return;
    socket.off('data', read).pause();
    for (const each of parts.toReversed()) socket.unshift(each); // TLS joins them, in the turn
    done(state === 'whole');
  }
  socket.on('data', read).resume(); // a header of a load balancer may have paused it
}
