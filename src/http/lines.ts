// The lines of heads, chunk sizes and trailers (RFC 9112 2.2). Each ends in CR LF. In a line, a CR or LF alone is refused, because programs
// disagree on whether it ends a line, and thus on where a field or request begins (request smuggling).
import type { Reason } from './refusals.ts';

const TAB = 9, LF = 10, CR = 13, SPACE = 32, DELETE = 127;
const CR_LF_LENGTH = 2;

// RFC 9110 5.5: which bytes a line may contain. Programs disagree on what control characters mean.
const IS_LEGAL = Uint8Array.from({ length: 256 }, (_, byte) => Number(byte === TAB || (byte >= SPACE && byte !== DELETE)));

/** A line: from `start` to `end`, without its CR LF. `text` has a character for each byte. Bytes are faster to search, strings to slice. */
export type Line = { readonly bytes: Buffer; readonly text: string; readonly start: number; readonly end: number };

const NOTHING: Buffer = Buffer.alloc(0);

/** Reads one line after another, and what is between them. How the bytes are split makes no difference. */
export class LineReader {
  end = 0; // how many of the bytes that were given last have been read
  length = 0; // how many bytes the latest line has, including its CR LF
  #bytes = NOTHING;
  #text = '';
  #begun = NOTHING; // the beginning of a line that is not complete, with room for more
  #begunLength = 0;

  /** Continues with `bytes`, which follow those that were given before. */
  give(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#text = bytes.toString('latin1');
    this.end = 0;
  }

  /** Drops all bytes, except those of a line that is not complete. */
  forget(): void { this.give(NOTHING); }

  /** Whether a line has begun and is not complete. */
  get hasBegun(): boolean { return this.#begunLength > 0; }

  /** Skips as many bytes as there are, at most `count`. Returns how many. */
  skip(count: number): number {
    const from = this.end;
    this.end = Math.min(this.#bytes.length, from + count);
    return this.end - from;
  }

  /** Skips CR and LF, at most `count`. Returns how many. */
  skipLineEnds(count: number): number {
    const from = this.end;
    while (this.end - from < count && (this.#bytes[this.end] === CR || this.#bytes[this.end] === LF)) this.end += 1;
    return this.end - from;
  }

  /** The next line, or undefined while it is not complete, or the rule that it breaks: `tooLong`, if it has more than `limit` bytes. */
  read(limit: number, tooLong: Reason): Line | Reason | undefined {
    const bytes = this.#bytes, from = this.end, stop = bytes.length;
    if (from === stop) return undefined;
    let at = from;
    if (this.#begun[this.#begunLength - 1] !== CR) { // otherwise its CR has come, and its LF must come next
      while (IS_LEGAL[bytes[at] ?? CR] === 1) at += 1; // this also stops after the last byte
      if (this.#begunLength + at - from > limit - CR_LF_LENGTH) return tooLong;
      if (at < stop && bytes[at] !== CR) return bytes[at] === LF ? 'lineEnd' : 'controlCharacter';
      at += 1;
    }
    if (at < stop && bytes[at] !== LF) return 'lineEnd';
    this.end = Math.min(at + 1, stop); // where the bytes end before the LF, all of them are kept until it comes
    this.length = this.#begunLength + this.end - from;
    // Faster: a line that has arrived whole is not copied, which saves 0.05, and 0.2 with the head of a browser.
    if (at < stop && !this.hasBegun) return { bytes, text: this.#text, start: from, end: at - 1 };
    this.#keep(from);
    return at < stop ? this.#finish() : undefined;
  }

  // The buffer doubles, so that even if a line arrives byte by byte, each byte is copied at most three times on average.
  #keep(from: number): void {
    if (this.length > this.#begun.length) this.#begun = Buffer.concat([this.#begun], 2 * this.length);
    this.#bytes.copy(this.#begun, this.#begunLength, from, this.end);
    this.#begunLength = this.length;
  }

  #finish(): Line {
    const bytes = this.#begun.subarray(0, this.length);
    this.#begun = NOTHING;
    this.#begunLength = 0;
    return { bytes, text: bytes.toString('latin1'), start: 0, end: this.length - CR_LF_LENGTH };
  }
}
