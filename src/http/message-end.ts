// Where a message ends in the bytes of a connection (RFC 9112 2.1 and 6.3). The bytes behind it are not given to node's parser
// before the message has been answered.

const CR = 13, LF = 10;
const END = [CR, LF, CR, LF]; // of a head, and of trailers

/** The bytes without the empty lines in front of a request, and without any CR and LF there, which are ignored (RFC 9112 2.2). */
export function skipEmptyLines(bytes: Buffer): Buffer {
  let start = 0;
  while (bytes[start] === CR || bytes[start] === LF) start += 1;
  return start === 0 ? bytes : bytes.subarray(start);
}

// A head and trailers end with CR LF CR LF. Inside chunked content these four bytes end a piece, too, which does no harm.
/** Divides the bytes of a connection into pieces, so that a message ends only where a piece ends. */
export class PieceFinder {
  #contentLeft = 0; // how many bytes of content with a known length are still to come
  #matched = 0; // how many bytes of CR LF CR LF the bytes before end with

  /** Content of this length follows the head. Chunked content needs no call. */
  expectContent(length: number): void {
    this.#contentLeft = length;
  }

  /** The index in `bytes`, which follow those of the call before, behind the piece that they begin with. */
  endIn(bytes: Buffer): number {
    if (this.#contentLeft === 0) return this.#endOfLinesIn(bytes);
    const end = Math.min(this.#contentLeft, bytes.length);
    this.#contentLeft -= end;
    return end;
  }

  #endOfLinesIn(bytes: Buffer): number {
    let matched = this.#matched;
    for (let at = 0; at < bytes.length; at += 1) {
      while (matched === 0 && (bytes[at + 3] ?? 0) > CR) at += 4; // Faster: the end begins in none of these four. 0.06 with a browser's fields
      if (bytes[at] === END[matched]) matched += 1;
      else matched = bytes[at] === CR ? 1 : 0;
      if (matched === END.length) {
        this.#matched = 0;
        return at + 1;
      }
    }
    this.#matched = matched;
    return bytes.length;
  }
}
