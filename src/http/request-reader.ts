// Reads the requests of a connection from its bytes, one at a time (RFC 9112 2.1): a request line, field lines up to an empty one, and the
// content behind them. A generator reads them from the first to the last, and yields when more bytes are needed.
import { readContent } from './content.ts';
import { Fields } from './fields.ts';
import { judgeHead, type IsAllowed } from './head.ts';
import { ILLEGAL, LineReader, MORE, TOO_LONG } from './lines.ts';
import { LegalRequest, Refusal } from './request.ts';
import { parseRequestLine, type RequestLine } from './request-line.ts';
import { childTraceparent } from './trace-context.ts';

/** A head has fewer bytes than this, with the empty lines in front of it. */
export const MAX_HEAD_BYTES = 16 * 1024;
export const MAX_FIELD_LINES = 100; // browsers send about 20

export class RequestReader {
  end = 0; // where the request ends in the bytes of the latest call
  hasBegun = false; // whether a request has begun, and is not whole. Empty lines do not begin one.
  request: LegalRequest | undefined; // the request whose head has been read, and its content has not
  readonly #isAllowed: IsAllowed;
  readonly #lines = new LineReader();
  readonly #requests = this.#readAll();
  #requestLine: RequestLine | undefined;
  #fields = new Fields();

  /** A request for a host that is not allowed is refused. */
  constructor(isAllowed: IsAllowed) { this.#isAllowed = isAllowed; }

  /**
   * Reads on in `bytes`, which follow those of the call before. Returns the request as soon as it is whole; or its refusal as soon as that
   * is known, behind which nothing may be read; otherwise undefined. What it returns does not depend on how the bytes are cut.
   */
  read(bytes: Buffer): LegalRequest | Refusal | undefined {
    let result: LegalRequest | Refusal | undefined;
    for (this.end = 0; this.end < bytes.length && result === undefined; this.end += this.#lines.end) {
      // Not more at once than a head may have: the parts of a text keep all of it in memory.
      const piece = bytes.length < MAX_HEAD_BYTES ? bytes : bytes.subarray(this.end, this.end + MAX_HEAD_BYTES);
      this.#lines.give(piece, piece.toString('latin1'));
      result = this.#requests.next().value;
    }
    this.#lines.forget();
    return result;
  }

  /** The refusal of the present request, which is not whole. */
  refusal(status: number): Refusal {
    if (this.request !== undefined) return new Refusal(status, this.request);
    if (this.#requestLine === undefined) return new Refusal(status);
    const { method, target: { path } } = this.#requestLine;
    return new Refusal(status, { method, path, traceparent: childTraceparent(this.#fields.traceparent) });
  }

  *#readAll(): Generator<LegalRequest | Refusal | undefined, never> {
    for (;;) {
      const head = yield* this.#readHead();
      const request = typeof head === 'number' ? this.refusal(head) : head;
      if (request instanceof LegalRequest && request.contentLength !== 0) {
        this.request = request;
        const status = yield* readContent(this.#lines, request.contentLength);
        if (status !== undefined) yield this.refusal(status);
      }
      this.hasBegun = false;
      this.request = this.#requestLine = undefined;
      this.#fields = new Fields();
      yield request;
    }
  }

  // Returns the request, or the status that refuses it, or a refusal that knows more.
  *#readHead(): Generator<undefined, LegalRequest | Refusal | number> {
    const lines = this.#lines;
    let line: ReturnType<LineReader['read']>;
    let bytesLeft = MAX_HEAD_BYTES - 1;
    bytesLeft -= lines.skipLineEnds(bytesLeft); // RFC 9112 2.2: CR and LF in front of a request are ignored
    while (lines.isAtEnd) {
      yield;
      bytesLeft -= lines.skipLineEnds(bytesLeft);
    }
    this.hasBegun = true;
    while ((line = lines.read(bytesLeft)) === MORE) yield;
    if (line === ILLEGAL) return 400;
    if (line === TOO_LONG) return 414; // RFC 9110 15.5.15
    const requestLine = parseRequestLine(line.text.slice(line.start, line.end));
    if (requestLine instanceof Refusal) return requestLine;
    this.#requestLine = requestLine;
    let fieldLines = 0;
    for (;;) {
      bytesLeft -= lines.length;
      while ((line = lines.read(bytesLeft)) === MORE) yield;
      if (line === ILLEGAL) return 400;
      if (line === TOO_LONG) return 431; // RFC 6585 5
      if (line.start === line.end) return judgeHead(requestLine, this.#fields, this.#isAllowed);
      fieldLines += 1;
      if (fieldLines > MAX_FIELD_LINES) return 431;
      if (!this.#fields.add(line)) return 400;
    }
  }
}
