// Reads the head of a request: the request line, and field lines up to an empty one (RFC 9112 2.1).
import { Fields } from './fields.ts';
import { judgeHead, type IsAllowed } from './head.ts';
import { ILLEGAL, LineReader, MORE, TOO_LONG } from './lines.ts';
import { Refusal, type LegalRequest } from './request.ts';
import { parseRequestLine, type RequestLine } from './request-line.ts';
import { childTraceparent } from './trace-context.ts';

/** A head has fewer bytes than this, with the empty lines in front of it. */
export const MAX_HEAD_BYTES = 16 * 1024;
export const MAX_FIELD_LINES = 100; // browsers send about 20

export class HeadReader {
  /** Whether a byte of the request has been read. Empty lines in front of it are none. */
  hasBegun = false;
  /** The request, or its refusal, as soon as it is known. */
  result: LegalRequest | Refusal | undefined;
  readonly #isAllowed: IsAllowed;
  readonly #lines = new LineReader();
  readonly #fields = new Fields();
  #requestLine: RequestLine | undefined;
  #fieldLines = 0;
  #bytesLeft = MAX_HEAD_BYTES - 1;

  constructor(isAllowed: IsAllowed) {
    this.#isAllowed = isAllowed;
  }

  /** The refusal of what has been read so far. */
  refusal(status: number): Refusal {
    if (this.#requestLine === undefined) return new Refusal(status);
    const { method, target: { path } } = this.#requestLine;
    return new Refusal(status, { method, path, traceparent: childTraceparent(undefined) });
  }

  /** Reads on in `bytes`, until the result is known. Returns where the bytes behind the head begin. */
  read(bytes: Buffer): number {
    const text = bytes.toString('latin1', 0, MAX_HEAD_BYTES); // not more: the parts of a text keep all of it in memory
    let at = this.hasBegun ? 0 : this.#skipEmptyLines(text);
    while (at < text.length && this.result === undefined) {
      this.result = this.#judge(this.#lines.read(bytes, text, at, this.#bytesLeft));
      at = this.#lines.end;
    }
    return at;
  }

  // RFC 9112 2.2: CR and LF in front of a request are ignored.
  #skipEmptyLines(text: string): number {
    let at = 0;
    while (at < this.#bytesLeft && (text[at] === '\r' || text[at] === '\n')) at += 1;
    this.#bytesLeft -= at;
    this.hasBegun = at < text.length;
    return at;
  }

  #judge(line: ReturnType<LineReader['read']>): LegalRequest | Refusal | undefined {
    if (line === MORE) return undefined;
    if (line === ILLEGAL) return this.refusal(400);
    if (line === TOO_LONG) return this.refusal(this.#requestLine === undefined ? 414 : 431); // RFC 9110 15.5.15, RFC 6585 5
    this.#bytesLeft -= this.#lines.length;
    if (this.#requestLine === undefined) return this.#judgeRequestLine(line.text.slice(line.start, line.end));
    if (line.start === line.end) return judgeHead(this.#requestLine, this.#fields, this.#isAllowed);
    this.#fieldLines += 1;
    if (this.#fieldLines > MAX_FIELD_LINES) return this.refusal(431);
    return this.#fields.add(line) ? undefined : this.refusal(400);
  }

  #judgeRequestLine(line: string): Refusal | undefined {
    const parsed = parseRequestLine(line);
    if (parsed instanceof Refusal) return parsed;
    this.#requestLine = parsed;
    return undefined;
  }
}
