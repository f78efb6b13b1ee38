// Reads the requests of a connection from its bytes, one at a time (RFC 9112 2.1): a request line, field lines up to an empty one, and the
// content after them. The other files here say which rule something breaks; only this one turns that into a `Refusal`.
import { readContent } from './content.ts';
import { addField, type Fields } from './fields.ts';
import { judgeHead } from './head.ts';
import { SIZE_LIMITS } from './limits.ts';
import { LineReader, type Line } from './lines.ts';
import type { Reason } from './refusals.ts';
import { LegalRequest, type Refusal } from './request.ts';
import { loggablePartsOf, parseRequestLine, type RequestLine } from './request-line.ts';
import type { RefuseHost } from './request-target.ts';
import { childTraceparent } from './trace-context.ts';

// The most bytes that become one string. A read may contain many requests, and a path in use keeps the whole string in memory.
const PART_BYTES = 2 * 1024;
const MAX_HEAD_BYTES = SIZE_LIMITS.headBytes - 1;

export class RequestReader {
  end = 0; // where the request ends in the bytes of the latest call; while it is not complete, their length
  request: LegalRequest | undefined; // the request whose head has been read, but not its content
  readonly #refuseHost: RefuseHost;
  readonly #lines = new LineReader();
  #requestLine: RequestLine | undefined;
  #fields: Fields = {};
  #fieldLines = 0;
  #remaining = MAX_HEAD_BYTES; // how many bytes the head may still have
  #content: ReturnType<typeof readContent> | undefined;

  /** A request for a host is refused if `refuseHost` returns a rule. */
  constructor(refuseHost: RefuseHost) { this.#refuseHost = refuseHost; }

  /** Whether a request has begun, and is not complete. Empty lines do not begin one. */
  get hasBegun(): boolean { return this.#requestLine !== undefined || this.#lines.hasBegun; }

  /** Continues with `bytes`, wherever they were split. Returns a request once it is complete, or its refusal: no call may follow that. */
  read(bytes: Buffer): LegalRequest | Refusal | undefined {
    let result: LegalRequest | Refusal | undefined;
    for (this.end = 0; this.end < bytes.length && result === undefined; this.end += this.#lines.end) {
      const part = bytes.length > PART_BYTES ? bytes.subarray(this.end, this.end + PART_BYTES) : bytes; // read in one go
      this.#lines.give(part, part.toString('latin1'));
      result = this.request === undefined ? this.#readHead() : this.#readContent(this.request);
    }
    this.#lines.forget();
    return result;
  }

  /** The refusal of the current request, which is not complete. */
  refusal(reason: Reason): Refusal {
    if (this.request !== undefined) return { reason, request: this.request };
    if (this.#requestLine === undefined) return { reason, request: {} };
    const { method, target: { path } } = this.#requestLine;
    return { reason, request: { method, path, traceparent: childTraceparent(this.#fields.traceparent) } };
  }

  #readHead(): LegalRequest | Refusal | undefined {
    // RFC 9112 2.2: CR and LF before a request are ignored.
    if (!this.hasBegun) this.#remaining -= this.#lines.skipLineEnds(this.#remaining);
    for (;;) {
      const line = this.#lines.read(this.#remaining, this.#requestLine === undefined ? 'requestLineTooLong' : 'headTooLong');
      if (line === undefined) return undefined;
      const result = typeof line === 'string' ? this.refusal(line) : this.#takeLine(line);
      if (result instanceof LegalRequest) return this.#readContent(result);
      if (result !== undefined) return result;
    }
  }

  // Returns the request at the end of its head, or a refusal; otherwise undefined.
  #takeLine(line: Line): LegalRequest | Refusal | undefined {
    this.#remaining -= this.#lines.length;
    if (this.#requestLine === undefined) {
      const text = line.text.slice(line.start, line.end);
      const parsed = parseRequestLine(text);
      if (typeof parsed === 'string') return { reason: parsed, request: loggablePartsOf(text) };
      this.#requestLine = parsed;
      return undefined;
    }
    if (line.start === line.end) {
      const judged = judgeHead(this.#requestLine, this.#fields, this.#refuseHost);
      return typeof judged === 'string' ? this.refusal(judged) : judged;
    }
    this.#fieldLines += 1;
    if (this.#fieldLines > SIZE_LIMITS.fieldLines) return this.refusal('tooManyFieldLines'); // RFC 6585 5
    const fault = addField(this.#fields, line);
    return fault && this.refusal(fault);
  }

  #readContent(request: LegalRequest): LegalRequest | Refusal | undefined {
    this.request = request;
    this.#content ??= readContent(this.#lines, request.contentLength);
    const { done, value } = this.#content.next();
    if (done !== true) return undefined;
    return value === undefined ? this.#finish(request) : this.refusal(value);
  }

  #finish(request: LegalRequest): LegalRequest {
    this.request = this.#requestLine = this.#content = undefined;
    this.#fields = {};
    this.#fieldLines = 0;
    this.#remaining = MAX_HEAD_BYTES;
    return request;
  }
}
