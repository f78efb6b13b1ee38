// Passes on what arrives on a stream in pieces, each in a turn of its client. The rest is held here, and the stream is paused meanwhile, so
// that whatever follows stays in the kernel.
import type { Duplex } from 'node:stream';
import type { Kind, Turns } from './turns.ts';

const READ_COST = 512; // what a piece costs besides its bytes
const PIECE_BYTES = 16 * 1024; // the longest piece
const SHORT_BYTES = 2 * 1024; // the longest read that may be passed on as it arrives
const NOTHING: Buffer = Buffer.alloc(0);

export type Consumer = {
  /** Whether it accepts bytes now. */
  readonly isOpen: () => boolean;
  /** Consumes bytes from the beginning of `piece`, and returns how many: at least one. */
  readonly consume: (piece: Buffer) => number;
  /** Whether the next piece continues something that has begun. */
  readonly continues: () => boolean;
  /** The stream has ended, and everything has been consumed. May be called more than once. */
  readonly end: () => void;
};

export class Intake {
  readonly #stream: Duplex;
  readonly #client: string;
  readonly #consumer: Consumer;
  readonly #isPaidFor: boolean;
  #turns: Turns;
  #held = NOTHING; // a view of what has been read from the stream and not consumed. While it is not empty, the stream is paused.
  #isConsuming = false;
  #hasConsumed = false; // since the latest call of `hasStalled`
  #continues = false; // whether the next piece continues the latest one
  #isDiscarding = false;

  /** `isPaidFor`: what arrives has already waited for a turn, in an intake below this one. */
  constructor(stream: Duplex, client: string, turns: Turns, isPaidFor: boolean, consumer: Consumer) {
    this.#stream = stream;
    this.#client = client;
    this.#turns = turns;
    this.#isPaidFor = isPaidFor;
    this.#consumer = consumer;
    stream.on('data', (bytes: Buffer) => this.#receive(bytes));
    stream.on('end', () => this.proceed()); // which may come while something is held
  }

  /** Whether something has arrived that has not been consumed. */
  get isHolding(): boolean { return this.#held.length > 0 || this.#stream.readableLength > 0; }

  get #kind(): Kind {
    if (this.#continues || this.#consumer.continues()) return 'begun';
    return this.#held.length + this.#stream.readableLength > SHORT_BYTES ? 'long' : 'short';
  }

  /** Whether something waits for its turn, and nothing has been consumed since the previous call. */
  hasStalled(): boolean {
    const hasConsumed = this.#hasConsumed;
    this.#hasConsumed = false;
    return !hasConsumed && this.isHolding && this.#consumer.isOpen();
  }

  /** The consumer may have opened: asks for a turn for what is held, or lets more arrive. */
  proceed(): void {
    if (this.#isConsuming || this.#isDiscarding) return; // while it consumes, nobody knows yet what remains
    if (this.isHolding) {
      if (this.#consumer.isOpen()) this.#turns.wait(this.#client, this.#consumeNext, this.#kind);
    } else if (this.#stream.readableEnded) {
      if (this.#consumer.isOpen()) this.#consumer.end();
    } else if (this.#stream.isPaused()) this.#stream.resume();
  }

  /** From now on discards whatever arrives, one read for each turn that the client gets in `turns`. */
  discard(turns: Turns): void {
    this.#isDiscarding = true;
    this.#turns = turns;
    this.#held = NOTHING;
    this.#discardNext();
  }

  #discardNext(): void {
    this.#stream.pause();
    this.#turns.wait(this.#client, this.#readOnce);
  }

  readonly #readOnce = (): void => {
    this.#turns.spend(READ_COST);
    this.#stream.resume();
  };

  #receive(bytes: Buffer): void {
    if (this.#isConsuming) return; // `read` in `#consumeNext` emits what it returns, too
    if (this.#isDiscarding) return this.#discardNext();
    const isNext = this.#isPaidFor || (bytes.length <= SHORT_BYTES && this.#turns.isFree);
    const rest = isNext && this.#consumer.isOpen() ? this.#consume(bytes) : bytes;
    if (this.#isDiscarding) return;
    if (rest.length > 0) {
      this.#stream.pause();
      this.#stream.unshift(rest); // a stream with something in it does not read on
    } else this.#stream.read(0); // Faster: see `respond` in response-stream.ts
    this.proceed();
  }

  readonly #consumeNext = (): void => {
    if (this.#stream.destroyed || !this.isHolding || !this.#consumer.isOpen()) return; // it has closed, or had its turn, meanwhile
    this.#isConsuming = true;
    if (this.#held.length === 0) this.#held = this.#stream.read();
    this.#held = this.#consume(this.#held);
    this.proceed();
  };

  // Returns what remains.
  #consume(bytes: Buffer): Buffer {
    this.#isConsuming = true;
    const count = this.#consumer.consume(bytes.length > PIECE_BYTES ? bytes.subarray(0, PIECE_BYTES) : bytes);
    this.#isConsuming = false;
    this.#hasConsumed = true;
    this.#continues = count === PIECE_BYTES;
    this.#turns.spend(READ_COST + count);
    return count === bytes.length || this.#isDiscarding ? NOTHING : bytes.subarray(count);
  }
}
