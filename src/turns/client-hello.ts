// How a client begins TLS: with a ClientHello, in one record or in several (RFC 8446 4.1.2 and 5.1). The handshake
// waits until it has come whole: TLS would read the rest by itself, for 900 connections in one iteration.
import type { Socket } from 'node:net';

const MAX_BYTES = 64 * 1024; // browsers send 2 KiB
const HANDSHAKE = 22; // a type of records
const CLIENT_HELLO = 1; // a type of messages
const RECORD_HEAD = 5; // bytes: the type, two of a version, two of the length
const MESSAGE_HEAD = 4; // bytes: the type, three of the length

/** Reads what a client begins with, in parts of any length. */
export class HelloReader {
  #held = Buffer.alloc(0); // with room for more, so that each byte is copied a few times only
  #length = 0; // of what has come
  #at = 0; // where the next record begins
  #head = 0; // of the message, as a number: each of its bytes may be in a record of its own
  #headBytes = 0;
  #missing = MESSAGE_HEAD; // bytes of the message in records to come, at least

  /** All that has come. */
  get bytes(): Buffer {
    return this.#held.subarray(0, this.#length);
  }

  /** Returns whether the ClientHello is whole, with its last record, or can be none. */
  read(part: Buffer): 'incomplete' | 'whole' | 'illegal' {
    const length = this.#length + part.length;
    if (length > MAX_BYTES) return 'illegal';
    if (length > this.#held.length) this.#held = Buffer.concat([this.bytes], 2 * length);
    part.copy(this.#held, this.#length);
    this.#length = length;
    while (this.#missing > 0) {
      const start = this.#at + RECORD_HEAD;
      if (length > this.#at && this.#held[this.#at] !== HANDSHAKE) return 'illegal';
      if (length < start) return 'incomplete';
      const end = start + this.#held.readUInt16BE(start - 2);
      if (end === start) return 'illegal'; // RFC 8446 5.1
      if (length < end) return 'incomplete';
      if (!this.#readRecord(this.#held.subarray(start, end))) return 'illegal';
      this.#at = end;
    }
    return 'whole';
  }

  // Returns whether the message may be a ClientHello.
  #readRecord(bytes: Buffer): boolean {
    this.#missing -= bytes.length;
    if (this.#headBytes === MESSAGE_HEAD) return true;
    const begin = bytes.subarray(0, MESSAGE_HEAD - this.#headBytes);
    for (const byte of begin) this.#head = this.#head * 256 + byte;
    this.#headBytes += begin.length;
    if (this.#headBytes < MESSAGE_HEAD) return true;
    this.#missing += this.#head % 2 ** 24;
    return Math.floor(this.#head / 2 ** 24) === CLIENT_HELLO;
  }
}

/** `done` hears whether a ClientHello has come whole, or something else. What has come waits in the socket, paused. */
export function waitForHello(socket: Socket, done: (isWhole: boolean) => void): void {
  const reader = new HelloReader();
  function read(part: Buffer): void {
    const state = reader.read(part);
    if (state === 'incomplete') return;
    socket.off('data', read).pause().unshift(reader.bytes);
    done(state === 'whole');
  }
  socket.on('data', read).resume(); // a header of a load balancer may have paused it
}
