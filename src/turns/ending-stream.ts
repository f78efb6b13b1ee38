// How a connection ends: after a time in which nothing happens, after its last reply, or because its client leaves.
import type { Socket } from 'node:net';
import { Pieces } from './pieces.ts';
import { SocketStream } from './socket-stream.ts';
import { Tap } from './tap.ts';

// If Node sets no time-out: for a client that has ended its side, or takes nothing of a reply. The kernel takes more of
// a reply only when a third of what it holds has gone to the client. The further ms for each byte that it may hold let
// a client take as little as 1 KB/s (2 KB/s are promised).
const QUIET_MS = 30_000;
const MS_PER_BYTE = 1 / 3;
const KERNEL_BYTES = 4 * 1024 * 1024; // that it holds of a connection, at most (`net.ipv4.tcp_wmem`)
const LINGER_MS = 1_000; // after the last reply: how long content may arrive, and then, at least, until we close
const DISCARD_MS = 50; // how often a read is discarded of what a client sends after that

/** What a server does when a client has ended its side while its request waits for the reply. */
export type HalfClosed = (connection: EndingStream) => void;

export abstract class EndingStream extends SocketStream {
  readonly pieces = new Pieces();
  protected readonly tap: Tap;
  readonly #halfClosed: HalfClosed;
  #limitMs = 0; // 0: none
  #quietMs = 0;
  #isEnding = false; // the last reply is written, and the content of its request is still arriving
  #hasLeft = false; // its client, while its request waits for the reply

  /** Without `halfClosed`, Node closes the connection then. */
  constructor(socket: Socket, halfClosed: HalfClosed | undefined) {
    super(socket);
    this.#halfClosed = halfClosed ?? (() => this.#endReading());
    this.tap = new Tap(socket, () => (this.isOver ? this.#discard() : this.arrived()));
    socket.allowHalfOpen = true; // over TLS, too, a client may end its side and still read
    socket.on('end', () => {
      this.isActive = true;
      this.proceed();
    });
  }

  /** Bytes have arrived, which the tap holds. */
  protected abstract arrived(): void;
  /** What comes next may have its turn. */
  protected abstract proceed(): void;
  /** A turn is wanted, to discard a read. */
  protected abstract waitToDiscard(): void;

  /** Whether what arrives now comes after the last reply, and after the content of its request. */
  protected get isOver(): boolean {
    return this.writableEnded && !this.#isEnding;
  }

  /** As with a socket, `timeout` is emitted after so many ms without activity. `count` counts them. 0: never. */
  setTimeout(ms: number, listener?: () => void): this {
    this.#limitMs = ms;
    this.isActive = true;
    if (listener !== undefined) this.once('timeout', listener);
    return this;
  }

  /**
   * Counts `ms` without activity, unless there was some since the last count. So `timeout` is never early, and late by
   * up to two counts. Nothing counts while it `isWaitingForTurn`.
   */
  protected count(ms: number, isWaitingForTurn: boolean): void {
    if (this.destroyed) { // over TLS, the socket is still there if the client has not taken the close_notify
      this.socket.destroy();
      return;
    }
    const limitMs = this.#limit();
    const wasOver = this.#quietMs >= limitMs; // so `timeout` has been emitted
    if (this.isActive || (isWaitingForTurn && this.writableLength === 0)) this.#quietMs = 0;
    else this.#quietMs += ms;
    this.isActive = false;
    if (this.writableFinished && this.#quietMs >= LINGER_MS) this.destroy();
    else if (this.#quietMs >= limitMs && !wasOver) this.emit('timeout');
  }

  #limit(): number {
    if (this.#limitMs > 0) return this.#limitMs;
    if (this.writableLength > 0) return QUIET_MS + MS_PER_BYTE * Math.min(this.socket.bytesWritten, KERNEL_BYTES);
    return this.socket.readableEnded ? QUIET_MS : Infinity;
  }

  /** Ends this side, as Node does after a last reply. The connection closes when its client has had time to read. */
  destroySoon(): void {
    this.end();
  }

  // The last reply has been written. While content of its request is arriving, ending our side could make the client
  // lose the reply: the connection may be reset, or a proxy closes it (RFC 9112 9.6).
  override _final(done: () => void): void {
    this.#isEnding = this.pieces.isArriving && !this.socket.readableEnded;
    if (this.#isEnding) setTimeout(() => this.contentArrived(), LINGER_MS).unref();
    else this.#endSide();
    done();
  }

  /** The content of the last request has arrived, or is not waited for any longer: if that was all, this side ends. */
  protected contentArrived(): void {
    if (this.#isEnding) this.#endSide();
  }

  #endSide(): void {
    this.#isEnding = false;
    this.isActive = true;
    this.socket.end();
    this.tap.clear();
    if (this.tap.isStopped) this.#discard();
  }

  // Stops reading. After a while, a turn discards a read. If more arrives then, this is called again.
  #discard(): void {
    this.tap.clear();
    this.tap.stop();
    setTimeout(() => this.waitToDiscard(), DISCARD_MS).unref();
  }

  #endReading(): void {
    this.push(null);
    this.read(0); // `end` is emitted even if nobody reads, as by a socket
  }

  /** Its client has ended its side, and all that it has sent has passed. */
  protected leave(): void {
    if (!this.pieces.isComplete) {
      this.#endReading(); // then Node closes the connection, and drops what it has not answered
    } else if (!this.#hasLeft) {
      this.#hasLeft = true;
      setImmediate(this.#halfClosed, this); // not yet: the reply may just have been written
    }
  }
}
