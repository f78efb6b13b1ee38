// One connection: a stream between its socket and node's parser. The parser gets the next request when the reply to the one
// before has left. So no client makes others wait, or fills the memory, by sending ahead. A connection is in one of these states:
// - idle: no request has begun.
// - receiving: a request is arriving.
// - replying: the request has arrived, and its reply has not left. A reply has left when the system has taken its bytes.
// - ending: no other request is read. The last reply leaves, and our side is ended behind it; what the client sends is discarded.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { PieceFinder, skipEmptyLines } from '../http/message-end.ts';
import type { Limits } from './limits.ts';
import type { AccessRecord } from './reports.ts';
import { SocketStream, type Done } from './socket-stream.ts';
import { takeTurn } from './turns.ts';

type State = 'idle' | 'receiving' | 'replying' | 'ending';
/** Called when a request takes too long to arrive (408), or its client has ended in the middle of it (400). */
export type OnIncomplete = (connection: Connection, status: 400 | 408) => void;

export class Connection extends SocketStream {
  /** How long it has been in its state, in milliseconds, as counted by `addTime`. Only this class writes it. */
  stateMs = 0;
  /** The first piece of the present request. Only this class writes it. */
  firstPiece: Buffer | undefined;
  /** While content arrives: refuses its request with a status. Only requests.ts uses it. */
  refuseContent: ((status: number) => void) | undefined;
  readonly #onIncomplete: OnIncomplete;
  readonly #pieces = new PieceFinder();
  #state: State = 'idle';
  #isTurn = false; // `#takeTurn` is under way
  #isWanted = false; // the parser takes another piece
  #message: IncomingMessage | undefined; // the present request, when its head has arrived
  #record: AccessRecord | undefined; // of the present request, until its reply has left

  constructor(socket: Socket, onIncomplete: OnIncomplete) {
    super(socket);
    this.#onIncomplete = onIncomplete;
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.on('end', () => this.#proceed());
    socket.once('close', () => this.#settle(true)); // after `_destroy`, which knows more
  }

  /** Whether no request is in progress, and none waits. */
  get isIdle(): boolean {
    return this.#state === 'idle' && !this.socket.isPaused();
  }

  get isEnding(): boolean {
    return this.#state === 'ending';
  }

  /** From now on a reply is owed: a head has arrived, or the parser has rejected one (`message` is undefined then). */
  oweReply(message: IncomingMessage | undefined, contentLength: number, record: AccessRecord): void {
    this.#message = message;
    this.#pieces.expectContent(contentLength);
    this.#record = record;
  }

  protected override replyLeft(): void {
    this.#settle(false);
    if (this.isEnding) return;
    this.#message = this.firstPiece = undefined;
    this.#enter('idle');
    this.#proceed();
  }

  /** No other request is read. Whoever calls this from outside ends the stream with the last reply. */
  startEnding(): void {
    this.#enter('ending');
    this.socket.resume();
  }

  /** Counts time, in milliseconds. Ends the connection when it has been in its state for too long. */
  addTime(ms: number, { idleMs, headMs, requestMs, unreadMs, lingerMs }: Limits): void {
    this.stateMs += ms;
    const limitMs = {
      idle: this.isIdle ? idleMs : Infinity, // not while a request waits for its turn
      receiving: this.#message === undefined ? headMs : requestMs,
      replying: unreadMs,
      ending: this.socket.writableFinished ? lingerMs : unreadMs,
    }[this.#state];
    if (this.stateMs < limitMs + ms) return; // `ms` more: the first sweep may come right after the state began
    if (this.#state === 'receiving') this.#onIncomplete(this, 408);
    else this.socket.destroy();
  }

  /** Closes the connection at once. Returns whether the reply to a request had not left. */
  cut(): boolean {
    const isOwed = this.#record !== undefined && !this.socket.destroyed;
    this.socket.destroy();
    return isOwed;
  }

  #enter(state: State): void {
    this.#state = state;
    this.stateMs = 0;
  }

  #receive(bytes: Buffer): void {
    if (this.isEnding) return;
    // Over TLS each record is a chunk, and many of them come in one turn: they are held, and then given together.
    if ((this.#isTurn || !this.isSecure) && this.#isWanted && this.#state !== 'replying') this.#give(bytes);
    else this.hold(bytes);
    if (!this.socket.isPaused()) this.socket.read(0); // Faster: see `reply` in requests.ts
    this.#proceed();
  }

  // Between requests, and while one arrives: gives what waits in a later turn. When nothing waits, ends if the client has ended.
  #proceed(): void {
    if (this.#state === 'replying' || this.#state === 'ending') return;
    if (this.socket.isPaused() && !this.socket.readableEnded) takeTurn(this.#takeTurn);
    else if (this.socket.readableEnded && this.#state === 'idle') this.end();
    else if (this.socket.readableEnded) this.#onIncomplete(this, 400);
  }

  readonly #takeTurn = (): void => {
    this.#isTurn = true;
    if (!this.socket.destroyed && this.socket.read() === null) this.socket.resume(); // `read` emits `data`
    this.#isTurn = false;
  };

  #give(bytes: Buffer): void {
    const isFirst = this.#state === 'idle';
    if (isFirst) bytes = skipEmptyLines(bytes);
    if (bytes.length === 0) return;
    if (isFirst) this.#enter('receiving');
    const end = this.#pieces.endIn(bytes);
    if (end < bytes.length) this.hold(bytes.subarray(end));
    const piece = end < bytes.length ? bytes.subarray(0, end) : bytes;
    if (isFirst) this.firstPiece = piece;
    this.#isWanted = false;
    this.push(piece); // the parser has got it when this returns
    if (this.#state === 'receiving' && this.#message?.complete === true) this.#enter('replying');
  }

  #settle(aborted: boolean): void {
    this.#record?.close(aborted);
    this.#record = undefined;
  }

  override _read(): void {
    this.#isWanted = true;
    if (this.socket.isPaused()) this.#proceed();
  }

  override _final(done: Done): void {
    this.#settle(false);
    this.startEnding(); // again: the time that the client has to end its side begins now
    this.socket.end();
    done();
  }

  // Called when the socket has closed. Node also calls it after PRI without a version: the reply to that still leaves.
  override _destroy(error: Error | null, done: Done): void {
    if (this.socket.destroyed) this.#settle(!this.isEnding || this.writableLength > 0);
    this.startEnding();
    this.socket.end((failure?: Error | null) => failure ?? this.#settle(false));
    done(error);
  }
}
