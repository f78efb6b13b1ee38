// Stops reading from a socket at once, and goes on. A stream that is only paused reads on until its buffer is full, and
// over TLS 64 KiB can be 64,000 records of one byte, with an object for each. So `stop` fills the buffer with zeros,
// which `readOn` takes out again.
import type { Socket } from 'node:net';

const NOTHING: Buffer = Buffer.alloc(0);
let filler = Buffer.alloc(64 * 1024); // all sockets share it

function fillerOf(length: number): Buffer {
  if (filler.length < length) filler = Buffer.alloc(length);
  return filler.subarray(0, length);
}

export class Tap {
  readonly #socket: Socket;
  isStopped = false;
  #isReadingOn = false;

  /** `arrived` gets what arrives on `socket`. */
  constructor(socket: Socket, arrived: (bytes: Buffer) => void) {
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => {
      if (!this.#isReadingOn) arrived(bytes); // `readOn` returns these
    });
  }

  /** Stops reading from the kernel at once. Only `arrived` may call it: elsewhere, one more read may be under way. */
  stop(): void {
    if (this.isStopped || this.#socket.readableEnded || this.#socket.destroyed) return; // `unshift` would fail
    this.isStopped = true;
    this.#socket.pause();
    this.#socket.unshift(fillerOf(this.#socket.readableHighWaterMark));
  }

  /** Goes on reading. Returns what has arrived meanwhile. */
  readOn(): Buffer {
    if (!this.isStopped) return NOTHING;
    this.#isReadingOn = true;
    this.#socket.read(this.#socket.readableHighWaterMark); // the filler, which is in front
    const arrived: Buffer = this.#socket.read() ?? NOTHING;
    this.#isReadingOn = false;
    this.isStopped = false;
    this.#socket.resume();
    return arrived;
  }
}
