// What stands for TLS in the simulation: records without a secret. Below it is the real valve. The first record is the handshake; others
// have data of the client, each of which comes out at once, as node's TLSSocket gives them.
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const HEADER_BYTES = 5;
export const HANDSHAKE = 22, DATA = 23, ALERT = 21;

/** A record of this type (RFC 8446 5.1). */
export function recordOf(type: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type, 3, 3, content.length >> 8, content.length & 255]), content]);
}

/** The type of the record with which `bytes` begin, and its content if they are one record. */
export const typeOf = (bytes: Buffer) => bytes[0];
export const contentOf = (bytes: Buffer) => bytes.subarray(HEADER_BYTES);

/** The whole records in `bytes`, with their places. */
export function* recordsIn(bytes: Buffer) {
  for (let at = 0; at + HEADER_BYTES <= bytes.length;) {
    const end = at + HEADER_BYTES + bytes.readUInt16BE(at + HEADER_BYTES - 2);
    if (end > bytes.length) return;
    yield { type: bytes[at], content: bytes.subarray(at + HEADER_BYTES, end), from: at, end };
    at = end;
  }
}

export class RecordSocket extends Socket {
  override bytesRead = 0; // of data
  readonly #below: Duplex;
  #begun = Buffer.alloc(0); // of a record that is not complete

  constructor(below: Duplex) {
    const options = { allowHalfOpen: true, highWaterMark: 0 };
    super(options);
    this.#below = below;
    below.on('data', (bytes: Buffer) => this.#receive(bytes));
    below.once('end', () => { this.push(null); this.read(0); });
    below.once('close', () => this.destroy());
    below.on('error', () => {});
  }

  #receive(bytes: Buffer): void {
    const all = Buffer.concat([this.#begun, bytes]);
    let from = 0;
    for (const { type, content, end } of recordsIn(all)) {
      from = end;
      if (this.destroyed) return;
      if (type === HANDSHAKE) this.emit('secure');
      else {
        this.bytesRead += content.length;
        if (!this.push(content)) this.#below.pause();
      }
    }
    this.#begun = all.subarray(from);
  }

  // Node calls these: https://nodejs.org/api/stream.html#implementing-a-duplex-stream

  override _read(): void { this.#below.resume(); }

  override _write(bytes: Buffer | string, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const content = typeof bytes === 'string' ? Buffer.from(bytes, encoding) : bytes;
    this.#below.write(recordOf(DATA, content), () => setImmediate(done));
  }

  override _final(done: () => void): void {
    this.#below.write(recordOf(ALERT, Buffer.from([1, 0]))); // close_notify
    this.#below.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#below.destroy();
    done(error);
    setImmediate(() => this.emit('close', error !== null));
  }
}
