// How a connection ends after its last reply: our side ends, and what the client still sends is discarded, until it has
// had time to read the reply. If we closed at once, it might lose that (RFC 9112 9.6).
import type { Ends } from './connection.ts';
import type { Reader } from './reader.ts';

const CONTENT_MS = 1_000; // how long, at most, content of its request may still arrive
const DISCARD_MS = 50; // how often a read is discarded of what comes after that

export class LastReply {
  readonly #ends: Ends;
  readonly #reader: Reader;
  readonly #waitToDiscard: () => void;
  #isContentAwaited = false;

  /** `waitToDiscard` is called when a turn is wanted to discard a read. */
  constructor(ends: Ends, reader: Reader, waitToDiscard: () => void) {
    this.#ends = ends;
    this.#reader = reader;
    this.#waitToDiscard = waitToDiscard;
  }

  /** Whether what arrives now comes after it, and after the content of its request. */
  get isOver(): boolean {
    return this.#ends.stream.writableEnded && !this.#isContentAwaited;
  }

  /** It has been written. While content `isArriving`, our side stays open: a proxy would close the connection, too. */
  written(isArriving: boolean): void {
    this.#isContentAwaited = isArriving && !this.#ends.socket.readableEnded;
    if (this.#isContentAwaited) setTimeout(() => this.contentArrived(), CONTENT_MS).unref();
    else this.#endSide();
  }

  /** If it has been written: no more content is waited for. */
  contentArrived(): void {
    if (this.#isContentAwaited) this.#endSide();
  }

  #endSide(): void {
    const { connection, socket } = this.#ends;
    this.#isContentAwaited = false;
    connection.isActive = true; // the time to read it begins
    socket.end();
    this.#reader.clear();
    if (this.#reader.isStopped) this.discard();
  }

  /** Stops reading. After a while, a turn discards a read. If more arrives then, this is called again. */
  discard(): void {
    this.#reader.clear();
    this.#reader.stop();
    setTimeout(() => { if (!this.#ends.stream.destroyed) this.#waitToDiscard(); }, DISCARD_MS).unref();
  }
}
