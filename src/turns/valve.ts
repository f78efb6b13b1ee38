// Between a socket and `node:http`: decides when Node gets how much of what a client sends. A server takes any Duplex
// as a connection: https://nodejs.org/api/http.html#event-connection. A piece passes when its client has a turn, and
// none while a request waits for its reply.
import type { Socket } from 'node:net';
import type { Client } from './client.ts';
import type { Connection } from './connection.ts';
import { EndingStream, type HalfClosed } from './ending-stream.ts';
import type { Queue, Turns } from './turns.ts';

export class Valve extends EndingStream {
  readonly #connection: Connection;
  readonly #turns: Turns;
  #waiting: Queue | undefined; // those with whom it waits
  #isReaderSlow = false; // Node has stopped taking, because a handler does not read

  /** `socket` is, over TLS, the decrypted one of `connection`. */
  constructor(socket: Socket, connection: Connection, turns: Turns, halfClosed?: HalfClosed) {
    super(socket, halfClosed);
    this.#connection = connection;
    this.#turns = turns;
  }

  get client(): Client {
    return this.#connection.client;
  }

  /** Whether closing loses nothing: no request has begun or waits, and no reply is left to send. */
  get isIdle(): boolean {
    const hasBegun = this.pieces.hasBegun || this.tap.held.length > 0;
    return this.writableFinished || (!hasBegun && this.writableLength === 0);
  }

  /** The response has closed: the kernel has all of the reply, or there will be no more of it. */
  answered(): void {
    this.pieces.answer();
    this.#endRequest();
    this.proceed();
  }

  /** What has arrived after a head that takes the connection over. */
  takeHead(): Buffer {
    return this.tap.take(this.tap.held.length);
  }

  /** Whether more than the current request has arrived. */
  get hasMore(): boolean {
    return this.tap.held.length > 0;
  }

  /** Node's parser has failed: it would do so again with each piece of what has arrived. */
  failed(): void {
    this.tap.clear();
  }

  /** Its turn: one piece passes, or what has arrived after the last reply is discarded. */
  takeTurn(): void {
    this.#waiting = undefined;
    if (this.isOver) {
      this.#readOn();
      this.tap.clear();
    } else if (this.#mayPass) this.#pass();
    this.proceed();
  }

  /** To be called every `ms` milliseconds. A connection that waits for its turn with part of a request is not idle. */
  sweep(ms: number): void {
    const begin = this.tap.held.subarray(0, this.pieces.maxBytes);
    const isWaiting = this.#waiting !== undefined && this.pieces.emptyLines(begin) < begin.length;
    this.count(ms, isWaiting && !this.isOver);
  }

  get #mayPass(): boolean {
    return !this.destroyed && !this.isOver && !this.#isReaderSlow && !this.pieces.isComplete;
  }

  get #isLong(): boolean {
    return this.tap.held.length > this.pieces.maxBytes;
  }

  protected override arrived(): void {
    const isCheap = !this.#isLong || this.pieces.isSized;
    const mayPass = isCheap && !this.tap.isStopped && this.#mayPass;
    if (mayPass && this.#turns.tryAhead()) this.#pass();
    if (this.#isLong) this.tap.stop();
    this.proceed();
  }

  // What continues waits for a turn: otherwise one client could go on and on.
  protected override proceed(): void {
    if (this.#waiting !== undefined || this.destroyed || this.isOver || this.#isReaderSlow) return;
    if (this.tap.held.length === 0) this.#readOn(); // even if what comes waits: its client may leave
    const { held } = this.tap;
    if (held.length > 0 && !this.pieces.isComplete) this.#wait(this.#isLong);
    else if (this.socket.readableEnded && this.pieces.emptyLines(held) === held.length) this.leave();
  }

  #wait(isLong: boolean): void {
    const queue = isLong ? this.client.long : this.client.short;
    this.#waiting = queue;
    this.#turns.wait(queue, this);
  }

  protected override waitToDiscard(): void {
    if (this.#waiting === undefined && !this.destroyed) this.#wait(true);
  }

  #readOn(): void {
    if (this.tap.isStopped && 'encrypted' in this.socket) this.#turns.endAfterOne(); // it may bring 2,800 records
    this.tap.readOn();
  }

  #pass(): void {
    const { tap, pieces } = this;
    tap.take(pieces.emptyLines(tap.held));
    if (tap.held.length === 0) return;
    if (!pieces.hasBegun) this.#connection.setBusy(true);
    this.isActive = true;
    // Inside `push`, Node reads the piece. At the end of a head it makes a FairResponse, which says so.
    this.push(tap.take(pieces.next(tap.held)));
    this.#isReaderSlow = this.readableLength > 0;
    this.#endRequest(); // its content may end with this
  }

  // If the current request is over, the next one may begin.
  #endRequest(): void {
    if (this.pieces.endRequest()) this.#connection.setBusy(false);
    if (!this.pieces.isArriving) this.contentArrived();
  }

  // Node, or whoever has taken a connection over from it, goes on reading.
  override read(size?: number): unknown {
    const taken: unknown = super.read(size);
    if (this.#isReaderSlow && this.readableLength === 0) {
      this.#isReaderSlow = false;
      this.#endRequest(); // what was taken may have been the end of its content
      this.proceed();
    }
    return taken;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.tap.clear();
    this.#waiting?.delete(this);
    super._destroy(error, done);
  }
}
