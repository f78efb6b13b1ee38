// The requests of one connection, and where the next piece of them ends, so that none has parts of two: at the empty
// line that ends a head or chunked content (RFC 9112 2.1, 7.1), at the end of content of known length, or after so many
// bytes: a longer piece could keep Node busy for too long, if it is all field names, or chunks of one byte.
// `next` begins a request, `endHead` says what its content is, and `endRequest` ends it. Node makes no response to a
// CONNECT or an Upgrade that a listener takes over, so neither is called: all that follows passes as if of their head.
import type { IncomingMessage } from 'node:http';

const HEAD_BYTES = 4 * 1024; // enough for browsers with cookies
const CHUNKS_BYTES = 1024;
const EMPTY_LINE = '\n\r\n'; // with the end of the line before it, of which CONNECT without a version needs no CR

export class Pieces {
  hasBegun = false; // a piece of the current request has passed
  isAnswered = false; // perhaps before all of its content has come
  #request: Pick<IncomingMessage, 'headers' | 'complete'> | undefined; // from the end of its head until it is over
  #isUnannounced = false; // the head names no content
  #left = 0; // how much content of known length is to come; other content ends with an empty line
  #tail = ''; // the last bytes that have passed: an empty line may have begun in them

  /** Whether all of the current request has passed. What comes then is of the next one. */
  get isComplete(): boolean { return this.#request?.complete === true; }

  /** Whether content of the current request is to come. */
  get isArriving(): boolean { return this.#request?.complete === false; }

  /** Whether content of known length comes, which costs Node little, however long the piece is. */
  get isSized(): boolean { return this.#left > 0; }

  /** How long a piece of a head, or of content of unknown length, may be. */
  get maxBytes(): number {
    if (this.#request === undefined || this.isComplete) return HEAD_BYTES; // that of the next request
    // Nobody knows where content that is not announced ends, so each byte may be the last before the next request.
    return this.#isUnannounced ? 1 : CHUNKS_BYTES;
  }

  /** How many bytes at the beginning of `bytes` are empty lines before a request, which mean nothing (RFC 9112 2.2). */
  emptyLines(bytes: Buffer): number {
    if (this.hasBegun && !this.isComplete) return 0;
    let length = 0;
    while (bytes[length] === 0x0d || bytes[length] === 0x0a) length += 1; // CR, LF
    return length;
  }

  /** The length of the next piece, at the beginning of `bytes`. It passes. */
  next(bytes: Buffer): number {
    this.hasBegun = true;
    if (this.#left > 0) {
      const length = Math.min(bytes.length, this.#left);
      this.#left -= length;
      return length;
    }
    const text = this.#tail + bytes.toString('latin1', 0, this.maxBytes);
    const at = text.indexOf(EMPTY_LINE);
    const end = at === -1 ? text.length : at + EMPTY_LINE.length;
    const length = end - this.#tail.length;
    this.#tail = at === -1 ? text.slice(1 - EMPTY_LINE.length) : '';
    return length;
  }

  /** The head of a request has passed. What comes now is its content. */
  endHead(request: Pick<IncomingMessage, 'headers' | 'complete'>): void {
    this.#request = request;
    this.isAnswered = false;
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    this.#left = Number(length ?? 0);
    // Node 20 hides field lines beyond `maxHeadersCount` from us. Its parser does not: content may come nevertheless.
    this.#isUnannounced = length === undefined && coding === undefined;
    this.#tail = '';
  }

  /** If the current request is answered and has passed, it is over: what comes now is another one. Returns whether. */
  endRequest(): boolean {
    if (!this.isAnswered || !this.isComplete) return false;
    this.hasBegun = false;
    this.#request = undefined;
    this.#tail = '';
    return true;
  }
}
