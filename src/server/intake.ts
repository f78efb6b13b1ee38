// Passes on in pieces what arrives on a stream: a short read at once if nobody waits, everything else in turns of its client. What
// waits is held here, and the stream is paused meanwhile, so that whatever follows stays in the kernel.
import type { Duplex } from 'node:stream';
import type { Kind, Turns } from './turns.ts';

const READ_COST = 512; // what a piece costs besides its bytes
const PIECE_BYTES = 16 * 1024; // the longest piece
const SHORT_BYTES = 2 * 1024; // the longest read that may be passed on as it arrives
const MAX_PIECES = 6; // how many full pieces in a row are taken for one request. Few requests are longer.
const NOTHING: Buffer = Buffer.alloc(0);

type Consumer = {
  readonly isOpen: () => boolean; // whether it accepts bytes now
  readonly consume: (piece: Buffer) => number; // consumes bytes from the beginning of `piece`, and returns how many: at least one
  readonly isHandshake: () => boolean; // whether what arrives belongs to a TLS handshake
  readonly end: () => void; // the stream has ended, and everything has been consumed. May be called more than once.
};

export type Intake = ReturnType<typeof createIntake>;

/** `isPaidFor`: what arrives has had its turn in an intake below. Up to the end of its first request it does not wait again. */
export function createIntake(
  stream: Duplex, client: string, turns: Turns, isPaidFor: boolean, { isOpen, consume, isHandshake, end }: Consumer,
) {
  let rest = NOTHING; // what remains of a read since its first turn. What waits for its first turn is still in the stream.
  let isConsuming = false; // while a piece is being consumed, what remains is not known yet, so `proceed` waits for its end
  let hasConsumed = false; // since the latest call of `hasStalled`
  let fullPieces = 0; // how many full pieces there have been in a row: what follows them is taken to continue a request
  let discardTurns: Turns | undefined; // set when discarding begins

  stream.on('data', receive);
  stream.on('end', proceed); // which may come while something is held
  stream.once('close', () => {
    turns.cancel(client, consumeNext);
    discardTurns?.cancel(client, readOnce);
  });

  const isHolding = () => rest.length > 0 || stream.readableLength > 0;

  function kind(): Kind {
    if (isHandshake()) return 'handshake';
    if (fullPieces > 0) return 'begun';
    return rest.length + stream.readableLength > SHORT_BYTES ? 'long' : 'short';
  }

  function proceed(): void {
    if (isConsuming || stream.destroyed || discardTurns !== undefined) return;
    if (isHolding()) {
      if (isOpen()) turns.wait(client, consumeNext, kind());
    } else if (stream.readableEnded) {
      if (isOpen()) end();
    } else stream.resume();
  }

  // Consumes bytes now, if allowed. Puts back what remains, and asks for a turn for it.
  function receive(bytes: Buffer): void {
    if (isConsuming) return; // `read` in `consumeNext` also emits what it returns
    if (discardTurns !== undefined) return discardNext(discardTurns);
    const isNext = isPaidFor || (bytes.length <= SHORT_BYTES && turns.isFree);
    const remaining = isNext && isOpen() ? consumePiece(bytes) : bytes;
    if (discardTurns !== undefined) return; // it has been refused, and what follows is read later
    if (remaining.length > 0) {
      stream.pause();
      stream.unshift(remaining); // once for each read: a stream with something in it reads no more
    } else stream.read(0); // Faster: asks for more now, not in a tick of its own, which saves 0.05
    proceed();
  }

  function consumeNext(): void {
    if (stream.destroyed || !isOpen()) return; // it has closed, or been refused, meanwhile
    isConsuming = true;
    if (rest.length === 0) rest = stream.read();
    rest = consumePiece(rest);
    proceed();
  }

  // Returns what remains.
  function consumePiece(bytes: Buffer): Buffer {
    isConsuming = true;
    const count = consume(bytes.subarray(0, PIECE_BYTES));
    isConsuming = false;
    hasConsumed = true;
    fullPieces = count === PIECE_BYTES ? (fullPieces + 1) % MAX_PIECES : 0;
    turns.spend(READ_COST + count);
    return count === bytes.length || discardTurns !== undefined ? NOTHING : bytes.subarray(count);
  }

  function discardNext(own: Turns): void {
    stream.pause(); // Node sees the client's end nevertheless
    own.wait(client, readOnce);
  }

  function readOnce(): void {
    discardTurns?.spend(READ_COST);
    stream.resume();
  }

  return {
    /** Whether something has arrived that has not been consumed. */
    isHolding,
    /** Whether something waits for its turn, and nothing has been consumed since the previous call. */
    hasStalled: (): boolean => {
      const isStalled = !hasConsumed && isHolding() && isOpen();
      hasConsumed = false;
      return isStalled;
    },
    /** To be called when the consumer may accept bytes again: asks for a turn for what is held, or lets more arrive. */
    proceed,
    /** From now on discards whatever arrives, one read for each turn that the client gets in `own`. */
    discard: (own: Turns): void => {
      discardTurns = own;
      discardNext(own);
    },
  };
}
