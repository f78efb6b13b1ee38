// Takes what arrives on a stream in pieces, each in its turn. What is left waits here. Meanwhile the stream is paused, so that what follows
// waits in the kernel.
import type { Duplex } from 'node:stream';
import type { Turns } from './turns.ts';

const READ_COST = 512; // what a piece costs more than it has, in bytes
const PIECE_BYTES = 16 * 1024; // what is taken at once, at most
const SHORT_BYTES = 2 * 1024; // what may be taken as it arrives
const NOTHING: Buffer = Buffer.alloc(0);

export type Taker = {
  /** Whether it takes bytes now. */
  readonly isOpen: () => boolean;
  /** Takes bytes from the beginning of `piece`, and returns how many: at least one. */
  readonly take: (piece: Buffer) => number;
  /** Whether what comes next goes on with what it has taken. */
  readonly goesOn: () => boolean;
  /** The stream has ended, and everything has been taken. It may be called more than once. */
  readonly end: () => void;
};

export class Intake {
  readonly #stream: Duplex;
  readonly #client: string;
  #turns: Turns;
  readonly #taker: Taker;
  readonly #isPaid: boolean;
  #held = NOTHING; // a view of what was read from the stream, which is paused while this is not empty
  #isTaking = false;
  #hasTaken = false; // since `hasStoodStill` was called
  #goesOn = false; // what comes next goes on with the latest piece
  #isDiscarding = false;

  /** `isPaid`: what arrives has waited for its turn below, so it is taken at once. */
  constructor(stream: Duplex, client: string, turns: Turns, isPaid: boolean, taker: Taker) {
    this.#stream = stream;
    this.#client = client;
    this.#turns = turns;
    this.#isPaid = isPaid;
    this.#taker = taker;
    stream.on('data', (bytes: Buffer) => this.#receive(bytes));
    stream.on('end', () => this.goOn()); // which may come while something is held
  }

  /** Whether something has arrived and has not been taken. */
  get isHolding(): boolean { return this.#held.length > 0 || this.#stream.readableLength > 0; }

  /** Whether something waits for its turn, and nothing has been taken since the call before. */
  hasStoodStill(): boolean {
    const hasTaken = this.#hasTaken;
    this.#hasTaken = false;
    return !hasTaken && this.isHolding && this.#taker.isOpen();
  }

  /** The taker may be open now: takes what is held when its turn comes, or lets more arrive. */
  goOn(): void {
    if (this.#isTaking || this.#isDiscarding) return; // while it takes, what remains is not known yet
    if (this.isHolding) {
      if (this.#taker.isOpen()) this.#turns.wait(this.#client, this.#takeTurn, this.#goesOn);
    } else if (this.#stream.readableEnded) {
      if (this.#taker.isOpen()) this.#taker.end();
    } else if (this.#stream.isPaused()) this.#stream.resume();
  }

  /** From now on discards whatever arrives: one read each time that it is the client's turn in `turns`. */
  discard(turns: Turns): void {
    this.#isDiscarding = true;
    this.#turns = turns;
    this.#held = NOTHING;
    this.#discardNext();
  }

  #discardNext(): void {
    this.#stream.pause();
    this.#turns.wait(this.#client, this.#resume);
  }

  readonly #resume = (): void => {
    this.#turns.spend(READ_COST);
    this.#stream.resume();
  };

  #receive(bytes: Buffer): void {
    if (this.#isTaking) return; // `read` below emits what it returns, too
    if (this.#isDiscarding) return this.#discardNext();
    const mayTake = this.#isPaid || (this.#turns.isFree && bytes.length <= SHORT_BYTES);
    const rest = mayTake && this.#taker.isOpen() ? this.#take(bytes) : bytes;
    if (this.#isDiscarding) return;
    if (rest.length > 0) {
      this.#stream.pause();
      this.#stream.unshift(rest); // what waits in the stream stops it from reading on
    } else this.#stream.read(0); // Faster: see `respond` in response-stream.ts
    this.goOn();
  }

  readonly #takeTurn = (): void => {
    if (this.#stream.destroyed || !this.isHolding || !this.#taker.isOpen()) return; // it has been closed, or had its turn, meanwhile
    this.#isTaking = true;
    if (this.#held.length === 0) this.#held = this.#stream.read();
    this.#held = this.#take(this.#held);
    this.goOn();
  };

  // Returns what is left.
  #take(bytes: Buffer): Buffer {
    this.#isTaking = true;
    const count = this.#taker.take(bytes.length > PIECE_BYTES ? bytes.subarray(0, PIECE_BYTES) : bytes);
    this.#isTaking = false;
    this.#hasTaken = true;
    this.#goesOn = count === PIECE_BYTES || this.#taker.goesOn();
    this.#turns.spend(READ_COST + count);
    return count === bytes.length || this.#isDiscarding ? NOTHING : bytes.subarray(count);
  }
}
