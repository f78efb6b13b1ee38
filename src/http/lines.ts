// The lines that a head, chunks and trailers consist of (RFC 9112 2.2). Each ends in CR LF. A CR or LF alone is refused, because
// programs disagree on whether it ends a line, and so on where a field or a request begins (request smuggling).

const TAB = 9, LF = 10, CR = 13, SPACE = 32, DELETE = 127;
const CR_LF_LENGTH = 2;

// RFC 9110 5.5: what a line may have. Control characters are read differently by different programs, and endanger logs.
const IS_LEGAL = Uint8Array.from({ length: 256 }, (_, byte) => Number(byte === TAB || (byte >= SPACE && byte !== DELETE)));

/** A line: from `start` to `end`, without its CR LF. `text` has a character for each byte. Bytes are faster to look at, texts to cut. */
export type Line = { readonly bytes: Buffer; readonly text: string; readonly start: number; readonly end: number };

/** What `LineReader.read` returns when there is no line: more is needed; no line has this byte; the line has too many bytes. */
export const MORE = 0, ILLEGAL = 1, TOO_LONG = 2;

const NOTHING: Buffer = Buffer.alloc(0);

/** Reads one line after the other. */
export class LineReader {
  /** Where the next line begins in the bytes of the latest call. */
  end = 0;
  /** How many bytes the latest line has, with its CR LF. */
  length = 0;
  #begun = NOTHING; // the beginning of a line that is not whole, with room for more
  #begunLength = 0;

  /**
   * Reads on at `from` in `bytes`, which follow those of the call before, and are also there as `text`. Returns the line; or MORE,
   * ILLEGAL, or TOO_LONG, when it is not whole with `limit` bytes. How the bytes are cut makes no difference.
   */
  read(bytes: Buffer, text: string, from: number, limit: number): Line | typeof MORE | typeof ILLEGAL | typeof TOO_LONG {
    const stop = Math.min(text.length, from + limit - this.#begunLength);
    let at = from;
    if (this.#begun[this.#begunLength - 1] !== CR) {
      while (IS_LEGAL[bytes[at] ?? 0] === 1) at += 1; // behind the last byte this ends, too
      if (at < stop && bytes[at] !== CR) return ILLEGAL;
      at = Math.min(at + 1, stop);
    }
    if (at < stop && bytes[at] !== LF) return ILLEGAL;
    this.end = Math.min(at + 1, stop);
    this.length = this.#begunLength + this.end - from;
    if (at < stop) return this.#begunLength === 0 ? { bytes, text, start: from, end: at - 1 } : this.#finish(bytes, from);
    this.#keep(bytes, from);
    return this.length < limit ? MORE : TOO_LONG;
  }

  #finish(bytes: Buffer, from: number): Line {
    this.#keep(bytes, from);
    const line = this.#begun.subarray(0, this.length);
    this.#begun = NOTHING;
    this.#begunLength = 0;
    return { bytes: line, text: line.toString('latin1'), start: 0, end: line.length - CR_LF_LENGTH };
  }

  // The room doubles, so that of a line that arrives byte by byte no byte is copied more than twice on average.
  #keep(bytes: Buffer, from: number): void {
    if (this.length > this.#begun.length) {
      const larger = Buffer.alloc(2 * this.length);
      this.#begun.copy(larger, 0, 0, this.#begunLength);
      this.#begun = larger;
    }
    bytes.copy(this.#begun, this.#begunLength, from, this.end);
    this.#begunLength = this.length;
  }
}
