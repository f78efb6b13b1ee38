// Reads the requests of a connection from its bytes, one at a time (RFC 9112 2.1): a request line, field lines up to an empty one, and the
// content after them. The other files here say which rule something breaks; this one and `judgeParsed` turn that into a `Refusal`.
import { readChunks } from './content.ts';
import { addField, type Fields } from './fields.ts';
import { judgeHead } from './head.ts';
import { SIZE_LIMITS } from './limits.ts';
import { LineReader } from './lines.ts';
import type { LegalRequest, Refusal } from './messages.ts';
import type { Reason } from './refusals.ts';
import { loggablePartsOf, parseRequestLine, type RequestLine } from './request-line.ts';
import type { RefuseHost } from './request-target.ts';

// The most bytes that become one string. A read may contain many requests, and a path in use keeps the whole string in memory.
const PART_BYTES = 2 * 1024;

export class RequestReader {
  end = 0; // where the request ends in the bytes of the latest call; while it is not complete, their length
  request: LegalRequest | undefined; // the request whose head has been read, but not its content
  readonly #refuseHost: RefuseHost;
  readonly #lines = new LineReader();
  #steps = this.#readRequest();
  #line = ''; // the request line as it arrived, for the log
  #requestLine: RequestLine | undefined;
  #fields: Fields = {};

  /** A request for a host is refused if `refuseHost` returns a rule. */
  constructor(refuseHost: RefuseHost) { this.#refuseHost = refuseHost; }

  /** Whether a request has begun, and is not complete. Empty lines do not begin one. */
  get hasBegun(): boolean { return this.#requestLine !== undefined || this.#lines.hasBegun; }

  /** Continues with `bytes`, wherever they were split. Returns a request once it is complete, or its refusal: no call may follow that. */
  read(bytes: Buffer): LegalRequest | Refusal | undefined {
    let result: LegalRequest | Refusal | undefined;
    for (this.end = 0; this.end < bytes.length && result === undefined; this.end += this.#lines.end) {
      this.#lines.give(bytes.subarray(this.end, this.end + PART_BYTES));
      result = this.#steps.next().value;
    }
    this.#lines.forget();
    return result;
  }

  /** The refusal of the current request, which is not complete. */
  refusal(reason: Reason): Refusal {
    return { reason, request: this.request ?? loggablePartsOf(this.#line, this.#fields.traceparent) };
  }

  // Stops at each `yield` until there are more bytes. Each request has a generator of its own: one that has ended keeps nothing in memory.
  *#readRequest(): Generator<undefined, LegalRequest | Refusal> {
    const lines = this.#lines;
    let remaining = SIZE_LIMITS.headBytes - 1, fieldLines = SIZE_LIMITS.fieldLines; // what is left of these limits
    while (this.request === undefined) {
      if (!this.hasBegun) remaining -= lines.skipLineEnds(remaining); // RFC 9112 2.2: CR and LF before a request are ignored
      const result = lines.read(remaining, this.#requestLine === undefined ? 'requestLineTooLong' : 'headTooLong');
      if (typeof result === 'string') return this.refusal(result);
      if (!result) {
        yield;
        continue;
      }
      remaining -= lines.length;
      if (this.#requestLine === undefined) {
        this.#line = lines.text;
        const parsed = parseRequestLine(this.#line);
        if (typeof parsed === 'string') return this.refusal(parsed);
        this.#requestLine = parsed;
      } else if (lines.text === '') {
        const judged = judgeHead(this.#requestLine, this.#fields, this.#refuseHost);
        if (typeof judged === 'string') return this.refusal(judged);
        this.request = judged;
      } else {
        fieldLines -= 1;
        const fault = fieldLines < 0 ? 'tooManyFieldLines' : addField(this.#fields, lines.text); // RFC 6585 5
        if (fault !== undefined) return this.refusal(fault);
      }
    }
    const { request, request: { contentLength } } = this;
    for (let content = contentLength ?? 0; (content -= lines.skip(content)) > 0;) yield; // RFC 9112 6.2
    const fault = contentLength === undefined ? yield* readChunks(lines) : undefined;
    if (fault !== undefined) return this.refusal(fault);
    this.request = this.#requestLine = undefined;
    this.#line = '';
    this.#fields = {};
    this.#steps = this.#readRequest();
    return request;
  }
}
