// The lines of heads, chunk sizes and trailers (RFC 9112 2.2). Each ends in CR LF. In a line, a CR or LF alone is refused, because programs
// disagree on whether it ends a line, and thus on where a field or request begins (request smuggling).
import type { Reason } from './refusals.ts';

const LF = 10, CR = 13;
const CR_LF_LENGTH = 2;
const NOTHING: Buffer = Buffer.alloc(0);

// RFC 9110 5.5: which bytes a line may contain. Programs disagree on what control characters mean.
const IS_LEGAL = Uint8Array.from({ length: 256 }, (_, byte) => Number(/[\t -~\x80-\xff]/.test(String.fromCharCode(byte))));

/** Reads one line after another, and what is between them. How the bytes are split makes no difference. */
export class LineReader {
  end = 0; // how many of the bytes that were given last have been read
  text = ''; // the latest line, as far as it has arrived, without its CR LF. It has a character for each byte.
  hasBegun = false; // whether it is not complete
  #hasCr = false; // its CR has arrived, and its LF has not
  #bytes = NOTHING; // the bytes that were given last,
  #given = ''; // and their characters: bytes are faster to search, strings to slice

  /** Continues with `bytes`, which follow those that were given before. */
  give(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#given = bytes.toString('latin1');
    this.end = 0;
  }

  /** Drops the bytes that were given last, which keep a whole read in memory. */
  forget(): void { this.give(NOTHING); }

  /** How many bytes the latest line has, including its CR LF. */
  get length(): number { return this.text.length + CR_LF_LENGTH; }

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

  /** Reads on in a line. Returns whether it is complete, or the rule that it breaks: `tooLong`, if it has more than `limit` bytes. */
  read(limit: number, tooLong: Reason): boolean | Reason {
    const bytes = this.#bytes, from = this.end, begun = this.hasBegun ? this.text : '';
    if (from === bytes.length) return false;
    let to = from;
    if (!this.#hasCr) {
      while (IS_LEGAL[bytes[to] ?? CR] === 1) to += 1; // this also stops after the last byte
      if (begun.length + to - from > limit - CR_LF_LENGTH) return tooLong;
      if (to < bytes.length && bytes[to] !== CR) return bytes[to] === LF ? 'lineEnd' : 'controlCharacter';
    }
    const at = this.#hasCr ? from : to + 1; // where the LF must be
    if (at < bytes.length && bytes[at] !== LF) return 'lineEnd';
    this.end = Math.min(at + 1, bytes.length);
    this.text = begun + this.#given.slice(from, to);
    this.hasBegun = at >= bytes.length;
    this.#hasCr = at === bytes.length;
    return !this.hasBegun;
  }
}
