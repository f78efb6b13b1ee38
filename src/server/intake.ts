// Passes on in pieces what arrives on a stream: a short read at once if nobody is waiting, the rest in turns that its client gets. What
// waits is held here or in the stream, which is paused meanwhile, so that whatever follows stays in the kernel.
import type { Duplex } from 'node:stream';
import type { Kind, Turns } from './turns.ts';

const PIECE_COST = 512; // what a piece costs besides its bytes, and what it costs to discard a read
const MAX_PIECE_BYTES = 16 * 1024; // the longest piece
const SHORT_BYTES = 2 * 1024; // the longest read that may be passed on as it arrives
const MAX_PIECES = 6; // up to this many full pieces in a row are assumed to belong to one request. Few requests are longer.
const NOTHING: Buffer = Buffer.alloc(0);

type Consumer = {
  readonly accepts: () => boolean; // whether it accepts bytes now
  readonly consume: (bytes: Buffer) => number; // consumes a piece from the beginning of `bytes`, and returns its length: at least 1
  readonly isHandshake: () => boolean; // whether what arrives belongs to a TLS handshake
  readonly end: () => void; // the stream has ended, and everything has been consumed. May be called more than once.
};

export type Intake = ReturnType<typeof createIntake>;

/** An intake. `hasHadTurn`: what arrives has had its turn in an intake below, and does not wait again before its first request ends. */
export function createIntake(
  stream: Duplex, client: string, turns: Turns, hasHadTurn: boolean, { accepts, consume, isHandshake, end }: Consumer,
) {
  let rest = NOTHING; // what remains of a read that has had its first turn. What is still waiting for its first turn is in the stream.
  let isConsuming = false; // in `consumeNext`, until `rest` is known: meanwhile, `proceed` and `receive` do nothing
  let hasConsumed = false; // since the latest call of `hasStalled`
  let fullPieces = 0; // full pieces in a row, from 0 again after `MAX_PIECES`: above 0, what follows is assumed to continue a request
  let discardTurns: Turns | undefined; // set when discarding begins

  stream.on('data', receive);
  stream.on('end', proceed); // `end` may come while something is held
  stream.once('close', () => {
    turns.cancel(client, consumeNext);
    discardTurns?.cancel(client, readOnce);
  });

  const isHolding = () => rest.length > 0 || stream.readableLength > 0;

  function kind(): Kind {
    if (isHandshake()) return 'handshake';
    if (fullPieces > 0) return 'continued';
    return rest.length + stream.readableLength > SHORT_BYTES ? 'long' : 'short';
  }

  function proceed(): void {
    if (isConsuming || stream.destroyed || discardTurns !== undefined) return;
    if (isHolding()) {
      if (accepts()) turns.wait(client, consumeNext, kind());
    } else if (stream.readableEnded) {
      if (accepts()) end();
    } else stream.resume();
  }

  // Consumes bytes now, if it may. Puts back what remains, and asks for a turn for it.
  function receive(bytes: Buffer): void {
    if (isConsuming) return; // `read` in `consumeNext` also emits what it returns
    if (discardTurns !== undefined) return discardNext(discardTurns);
    const isNext = hasHadTurn || (bytes.length <= SHORT_BYTES && turns.isFree);
    const remaining = isNext && accepts() ? consumePiece(bytes) : bytes;
    if (remaining.length === 0) stream.read(0); // Faster: asks for more now, rather than in a separate tick, which saves 0.05
    else {
      stream.pause();
      stream.unshift(remaining); // once per read: a stream with something in it reads no more
    }
    proceed();
  }

  function consumeNext(): void {
    if (stream.destroyed || !accepts()) return; // meanwhile the stream has closed, or the consumer no longer accepts bytes
    isConsuming = true;
    if (rest.length === 0) rest = stream.read();
    rest = consumePiece(rest);
    isConsuming = false;
    proceed();
  }

  // Returns what remains.
  function consumePiece(bytes: Buffer): Buffer {
    const count = consume(bytes.subarray(0, MAX_PIECE_BYTES));
    hasConsumed = true;
    fullPieces = count === MAX_PIECE_BYTES ? (fullPieces + 1) % MAX_PIECES : 0;
    turns.spend(PIECE_COST + count);
    return count === bytes.length || discardTurns !== undefined ? NOTHING : bytes.subarray(count);
  }

  function discardNext(own: Turns): void {
    stream.pause(); // even so, Node notices when the client ends its side
    own.wait(client, readOnce);
  }

  function readOnce(): void {
    discardTurns?.spend(PIECE_COST);
    stream.resume();
  }

  return {
    /** Whether something has arrived that has not been consumed. */
    isHolding,
    /** Whether something waits for its turn, and nothing has been consumed since the previous call. */
    hasStalled: (): boolean => {
      const isStalled = !hasConsumed && isHolding() && accepts();
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
