// Where the next piece of what a client sends ends, so that no piece has parts of two requests: at the empty line that
// ends a head or chunked content (RFC 9112 2.1, 7.1), at the end of content of known length, or after 1 KiB.

// A longer piece of a head or of chunks could keep Node busy for too long: it may be all names, or chunks of one byte.
const PIECE_BYTES = 1024;
const EMPTY_LINE = '\r\n\r\n'; // with the end of the line before it
const CR = 0x0d;
const LF = 0x0a;

/** Follows the requests of one connection. */
export class Pieces {
  #hasBegun = false;
  #left: number | undefined; // how much content of known length is to come; undefined: an empty line ends what comes
  #tail = ''; // the last bytes that have passed: an empty line may have begun in them

  /** Whether a piece of the current request has passed. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether content of known length comes, which costs Node little, however long the piece is. */
  get isSized(): boolean {
    return this.#left !== undefined && this.#left > 0;
  }

  /** How many bytes at the beginning of `bytes` are empty lines before a request, which mean nothing (RFC 9112 2.2). */
  emptyLines(bytes: Buffer): number {
    let length = 0;
    if (!this.#hasBegun) while (bytes[length] === CR || bytes[length] === LF) length += 1;
    return length;
  }

  /** Passes the piece at the beginning of `bytes`, and returns its length. */
  pass(bytes: Buffer): number {
    this.#hasBegun = true;
    if (this.#left !== undefined && this.#left > 0) {
      const length = Math.min(bytes.length, this.#left);
      this.#left -= length;
      return length;
    }
    const text = this.#tail + bytes.toString('latin1', 0, PIECE_BYTES);
    const at = text.indexOf(EMPTY_LINE);
    const end = at === -1 ? text.length : at + EMPTY_LINE.length;
    const length = end - this.#tail.length;
    this.#tail = at === -1 ? text.slice(1 - EMPTY_LINE.length) : '';
    return length;
  }

  /** A head has passed, and what comes now is content: so many bytes, or, if that is undefined, chunks. */
  startContent(length: number | undefined): void {
    this.#left = length;
    this.#tail = '';
  }

  /** What comes now is another request. */
  startRequest(): void {
    this.#hasBegun = false;
    this.startContent(undefined);
  }
}
