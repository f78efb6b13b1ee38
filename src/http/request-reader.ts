// Reads the requests of a connection from its bytes, one at a time (RFC 9112 2.1): a request line, field lines up to an empty one, and the
// content behind them.
import { readContent } from './content.ts';
import { addField, type Fields } from './fields.ts';
import { judgeHead, type IsAllowed } from './head.ts';
import { ILLEGAL, LineReader, MORE, TOO_LONG, type Line } from './lines.ts';
import { Refusal, type LegalRequest } from './request.ts';
import { parseRequestLine, type RequestLine } from './request-line.ts';
import { childTraceparent } from './trace-context.ts';

/** A head has fewer bytes than this, with the empty lines in front of it. */
export const MAX_HEAD_BYTES = 16 * 1024;
export const MAX_FIELD_LINES = 100; // browsers send about 20
const NO_FIELDS: Fields = {};

export class RequestReader {
  end = 0; // where the request ends in the bytes of the latest call
  hasBegun = false; // whether a request has begun, and is not whole. Empty lines do not begin one.
  request: LegalRequest | undefined; // the request whose head has been read, and its content has not
  readonly #isAllowed: IsAllowed;
  readonly #lines = new LineReader();
  #requestLine: RequestLine | undefined;
  #fields = NO_FIELDS;
  #fieldLines = 0;
  #bytesLeft = MAX_HEAD_BYTES - 1; // of the head
  #content: ReturnType<typeof readContent> | undefined;

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
      result = this.request === undefined ? this.#readHead() : this.#readContent(this.request);
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

  #readHead(): LegalRequest | Refusal | undefined {
    if (!this.hasBegun) {
      this.#bytesLeft -= this.#lines.skipLineEnds(this.#bytesLeft); // RFC 9112 2.2: CR and LF in front of a request are ignored
      this.hasBegun = !this.#lines.isAtEnd;
    }
    for (;;) {
      const line = this.#lines.read(this.#bytesLeft);
      if (line === MORE) return undefined;
      if (line === ILLEGAL) return this.refusal(400);
      if (line === TOO_LONG) return this.refusal(this.#requestLine === undefined ? 414 : 431); // RFC 9110 15.5.15, RFC 6585 5
      this.#bytesLeft -= this.#lines.length;
      const judged = this.#takeLine(line);
      if (typeof judged === 'number') return this.refusal(judged);
      if (judged instanceof Refusal) return judged;
      if (judged !== undefined) return judged.contentLength === 0 ? this.#whole(judged) : this.#readContent(judged);
    }
  }

  // Returns the request at the end of its head, or a refusal or its status; otherwise undefined.
  #takeLine(line: Line): LegalRequest | Refusal | number | undefined {
    if (this.#requestLine === undefined) {
      const parsed = parseRequestLine(line.text.slice(line.start, line.end));
      if (parsed instanceof Refusal) return parsed;
      this.#requestLine = parsed;
      this.#fields = {};
      return undefined;
    }
    if (line.start === line.end) return judgeHead(this.#requestLine, this.#fields, this.#isAllowed);
    this.#fieldLines += 1;
    if (this.#fieldLines > MAX_FIELD_LINES) return 431;
    return addField(this.#fields, line) ? undefined : 400;
  }

  #readContent(request: LegalRequest): LegalRequest | Refusal | undefined {
    this.request = request;
    this.#content ??= readContent(this.#lines, request.contentLength);
    const { done, value } = this.#content.next();
    if (done !== true) return undefined;
    return value === undefined ? this.#whole(request) : this.refusal(value);
  }

  #whole(request: LegalRequest): LegalRequest {
    this.hasBegun = false;
    this.request = this.#requestLine = this.#content = undefined;
    this.#fields = NO_FIELDS;
    this.#fieldLines = 0;
    this.#bytesLeft = MAX_HEAD_BYTES - 1;
    return request;
  }
}
