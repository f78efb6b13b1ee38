// How what a client sends gets to Node, from top to bottom: bytes arrive, wait for a turn of their client, and pass in
// pieces. While a request waits for its reply, nothing passes. After the last reply, what arrives is discarded.
import type { Ends } from './connection.ts';
import { createLastReply } from './last-reply.ts';
import { Pieces } from './pieces.ts';
import { Reader } from './reader.ts';
import type { Queue } from './turns.ts';

export class Passage {
  readonly pieces = new Pieces();
  readonly reader: Reader;
  readonly lastReply: ReturnType<typeof createLastReply>;
  readonly #ends: Ends;
  readonly #halfClosed: () => void;
  #queue: Queue | undefined; // in which it waits for a turn
  #isNodeFull = false; // Node takes no more, because a handler does not read its content
  #hasLeft = false; // the client, while its request waits for the reply

  /** `halfClosed` is called if the client ends its side while its request waits for the reply. */
  constructor(ends: Ends, halfClosed = () => this.#endReading()) {
    const { socket, connection } = ends;
    this.#ends = ends;
    this.#halfClosed = halfClosed;
    this.reader = new Reader(socket, () => this.#arrived());
    this.lastReply = createLastReply(ends, this.reader, () => this.#wait(true));
    socket.allowHalfOpen = true; // over TLS, too, a client may end its side and still read
    socket.on('end', () => {
      connection.isActive = true;
      this.#proceed();
    });
  }

  // Bytes arrive. If nobody waits, a piece of what is short passes at once.
  #arrived(): void {
    if (this.lastReply.isOver()) return this.lastReply.discard();
    const isCheap = !this.#isLong || this.pieces.isSized;
    const mayPass = isCheap && this.#isOpen && !this.pieces.isComplete && !this.reader.isStopped;
    if (mayPass && this.#ends.turns.tryAhead()) this.#pass();
    if (this.#isLong) this.reader.stop();
    this.#proceed();
  }

  // The rest waits for a turn: otherwise one client could go on and on.
  #proceed(): void {
    if (this.#queue !== undefined || !this.#isOpen) return;
    if (!this.hasMore) this.#readOn(); // also while a request waits for its reply: its client may leave
    const isNextRequest = this.pieces.isComplete && this.#hasRequest; // which waits for the reply to this one
    if (this.hasMore && !isNextRequest) this.#wait(this.#isLong);
    else if (this.#ends.socket.readableEnded && !isNextRequest) this.#leave();
  }

  #wait(isLong: boolean): void {
    const { turns, connection: { client } } = this.#ends;
    this.#queue?.delete(this); // it waits once
    this.#queue = isLong ? client.long : client.short;
    turns.wait(this.#queue, this);
  }

  /** Its turn: one piece passes, or what has arrived after the last reply is discarded. */
  takeTurn(): void {
    this.#queue = undefined;
    if (this.lastReply.isOver()) {
      this.#readOn();
      this.reader.clear();
    } else if (this.#isOpen) this.#pass();
    this.#proceed();
  }

  // A piece passes. Inside `push`, Node reads it. At the end of a head, its response calls `pieces.begin`.
  #pass(): void {
    const { connection, stream } = this.#ends;
    this.reader.take(this.pieces.emptyLines(this.reader.held));
    if (!this.hasMore || this.pieces.isComplete) return;
    if (!this.pieces.hasBegun) connection.setBusy(true);
    connection.isActive = true;
    stream.push(this.reader.take(this.pieces.next(this.reader.held)));
    this.#isNodeFull = stream.readableLength > 0;
    this.#endRequest(); // its content may end with this piece
  }

  /** Node, or whoever has taken the connection over from it, has read what it had not taken. */
  wasRead(): void {
    if (!this.#isNodeFull || this.#ends.stream.readableLength > 0) return;
    this.#isNodeFull = false;
    this.#endRequest(); // that may have been the end of its content
    this.#proceed();
  }

  /** The request is answered. Its response has closed: the kernel has all of the reply, or there will be no more. */
  answered(): void {
    this.pieces.answer();
    this.#endRequest();
    this.#proceed();
  }

  // If the current request is over, the next one may pass.
  #endRequest(): void {
    if (this.pieces.endRequest()) this.#ends.connection.setBusy(false);
    if (!this.pieces.isArriving) this.lastReply.contentArrived();
  }

  // The client has ended its side, and all that it has sent has passed.
  #leave(): void {
    if (!this.pieces.isComplete) this.#endReading();
    else if (!this.#hasLeft) setImmediate(this.#halfClosed); // not yet: the reply may just have been written
    this.#hasLeft = this.pieces.isComplete;
  }

  // Node closes the connection, and drops what it has not answered. Whoever has taken it over hears of its end.
  #endReading(): void {
    this.#ends.stream.push(null);
    this.#ends.stream.read(0); // so `end` is emitted even if nobody reads, as by a socket
  }

  /** The connection has closed, or Node's parser has failed: nothing more passes of what has arrived. */
  clear(): void {
    this.reader.clear();
    if (this.#ends.stream.destroyed) this.#queue?.delete(this);
  }

  /** Whether part of a request waits for its turn. Meanwhile, no time of its client passes. */
  get isWaiting(): boolean {
    return this.#queue !== undefined && this.#hasRequest && !this.lastReply.isOver();
  }

  /** Whether more has arrived than has passed. */
  get hasMore(): boolean {
    return this.reader.held.length > 0;
  }

  // Whether that begins with more than empty lines: with those alone, a client could make us look at 64 KiB each time.
  get #hasRequest(): boolean {
    const begin = this.reader.held.subarray(0, this.pieces.maxBytes);
    return this.pieces.emptyLines(begin) < begin.length;
  }

  get #isOpen(): boolean {
    return !this.#ends.stream.destroyed && !this.lastReply.isOver() && !this.#isNodeFull;
  }

  get #isLong(): boolean {
    return this.reader.held.length > this.pieces.maxBytes;
  }

  #readOn(): void {
    const { socket, turns } = this.#ends;
    if (this.reader.isStopped && 'encrypted' in socket) turns.endAfterOne(); // it may bring 2,800 records
    this.reader.readOn();
  }
}
