// A valve between an accepted socket and TLS. Node decrypts at once all that TLS is given, and the client chooses what is in it: a read
// of 64 KiB can be four records or 2,800, each with a byte, or with a new key. So TLS is given a piece of at most 2 KiB, and the next one
// when it asks and the turn has come. The work and the memory that a client causes in a turn have one bound, whatever its records are.
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { write } from './send.ts';
import { countRead, hold, leave, mayReadNow, PIECE_BYTES, waitForTurn } from './turns.ts';

const RECORDS_COST = 8; // how much more a byte costs over TLS, when the records are as short as they can be

export class Valve extends Duplex {
  isReady = false; // the TLS handshake is over. Until then a piece counts as a long read, because the handshake costs most.
  readonly #carrier: Socket;

  /** What is written to the valve is written to `carrier`. They are closed together. */
  constructor(carrier: Socket) {
    super({ readableHighWaterMark: 0 });
    this.#carrier = carrier;
    carrier.on('data', (bytes: Buffer) => this.#receive(bytes));
    carrier.on('end', () => this.push(null));
    carrier.on('error', () => {}); // without a listener it would end the process; `close` follows
    carrier.once('close', () => { leave(this.#takeTurn); this.destroy(); });
  }

  // A piece passes when `#takeTurn` reads it, or as it comes. More is put back.
  #receive(bytes: Buffer): void {
    const passes = this.#carrier.isPaused() || (this.isReady && this.#isOpen && mayReadNow(bytes.length));
    if (passes) { countRead(RECORDS_COST * bytes.length); this.push(bytes); }
    else { hold(this.#carrier, bytes); this.#wait(); }
  }

  #wait(): void { waitForTurn(this.#takeTurn, this.isReady ? this.#carrier.readableLength : Infinity); }

  readonly #takeTurn = (): void => {
    if (this.#isOpen) this.#carrier.read(Math.min(this.#carrier.readableLength, PIECE_BYTES));
  };

  // Whether TLS has taken the last piece, and the kernel what TLS has written: TLS itself answers some records.
  get #isOpen(): boolean { return this.readableLength === 0 && this.writableLength === 0; }

  // Node calls these methods: https://nodejs.org/api/stream.html#implementing-a-duplex-stream

  override _read(): void {
    if (this.#carrier.readableLength > 0) this.#wait();
    else this.#carrier.resume();
  }

  override _write(bytes: Buffer, encoding: BufferEncoding, done: () => void): void {
    write(this.#carrier, bytes, encoding, () => {
      done();
      if (this.#carrier.readableLength > 0) this.#wait();
    });
  }

  override _final(done: () => void): void { this.#carrier.end(); done(); }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#carrier.destroy();
    done(error);
  }
}
