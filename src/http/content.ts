// Reads the content of a request to its end, and discards it (RFC 9112 6). It is read before the request is answered: when it is
// malformed, nobody can tell where the next request begins (request smuggling).
import { colonIn } from './fields.ts';
import { MAX_CONTENT_BYTES } from './head.ts';
import { ILLEGAL, LineReader, MORE, TOO_LONG, type Line } from './lines.ts';

/** The most that a request may have of chunk sizes, chunk extensions and trailers together, in bytes. */
export const MAX_FRAMING_BYTES = 16 * 1024;
/** The most that a chunk size with its extensions may have, in bytes. */
export const MAX_CHUNK_LINE_BYTES = 1024;

export type Content = {
  /** Reads on at `from` in `bytes`, until the outcome is known. Returns the index behind what has been read. */
  readonly read: (bytes: Buffer, from: number) => number;
  /** Undefined while more is needed. A number is the status that refuses the content. */
  readonly outcome: 'whole' | number | undefined;
};

/** The reader for content of this length, or for chunks when it is undefined. */
export function contentOf(length: number | undefined): Content {
  return length === undefined ? new ChunkedContent() : new SizedContent(length);
}

/** Content with a length (RFC 9112 6.2). */
class SizedContent implements Content {
  #left: number;

  constructor(length: number) {
    this.#left = length;
  }

  get outcome() {
    return this.#left === 0 ? 'whole' : undefined;
  }

  read(bytes: Buffer, from: number): number {
    const to = Math.min(bytes.length, from + this.#left);
    this.#left -= to - from;
    return to;
  }
}

/**
 * Chunked content (RFC 9112 7.1): lines with a size, each followed by as many bytes of data and CR LF; a line with the size 0; and
 * trailers up to an empty line. Trailers are field lines, and nothing that they say is obeyed (RFC 9110 6.5.1).
 */
class ChunkedContent implements Content {
  outcome: Content['outcome'];
  readonly #lines = new LineReader();
  #part: 'size' | 'end of data' | 'trailers' = 'size';
  #dataLeft = 0; // of this chunk
  #dataBytes = 0; // of all chunks
  #framingLeft = MAX_FRAMING_BYTES;

  read(bytes: Buffer, from: number): number {
    const text = bytes.toString('latin1');
    let at = from;
    while (at < text.length && this.outcome === undefined) {
      const to = Math.min(text.length, at + this.#dataLeft);
      this.#dataLeft -= to - at;
      at = to === at ? this.#readLine(bytes, text, at) : to;
    }
    return at;
  }

  #readLine(bytes: Buffer, text: string, from: number): number {
    const limit = { size: Math.min(MAX_CHUNK_LINE_BYTES, this.#framingLeft), 'end of data': '\r\n'.length, trailers: this.#framingLeft }[this.#part];
    const line = this.#lines.read(bytes, text, from, limit);
    if (line === ILLEGAL) this.outcome = 400;
    else if (line === TOO_LONG) this.outcome = this.#part === 'trailers' ? 431 : 400; // RFC 6585 5
    else if (line !== MORE) this.outcome = this.#judgeLine(line);
    return this.#lines.end;
  }

  #judgeLine(line: Line): Content['outcome'] {
    if (this.#part === 'end of data') {
      this.#part = 'size'; // with its limit of two bytes, this line is empty
      return undefined;
    }
    this.#framingLeft -= this.#lines.length;
    const isEmpty = line.start === line.end;
    if (this.#part === 'trailers') return isEmpty ? 'whole' : colonIn(line) === -1 ? 400 : undefined;
    const size = sizeIn(line.text.slice(line.start, line.end));
    if (size === undefined) return 400;
    this.#part = size === 0 ? 'trailers' : 'end of data';
    this.#dataLeft = size;
    this.#dataBytes += size;
    return this.#dataBytes > MAX_CONTENT_BYTES ? 413 : undefined; // RFC 9110 15.5.14
  }
}

// RFC 9112 7.1.1: a size, and perhaps extensions: names, and perhaps values, which are tokens or quoted strings (RFC 9110 5.6.4). Of
// more than eight digits programs disagree on the number.
const TOKEN = /[\w!#$%&'*+\-.^`|~]+/.source;
const QUOTED = /"(?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"/.source;
const EXTENSION = `[ \t]*;[ \t]*${TOKEN}(?:[ \t]*=[ \t]*(?:${TOKEN}|${QUOTED}))?`;
const SIZE_LINE = new RegExp(`^[\\dA-Fa-f]{1,8}(?:${EXTENSION})*$`);

function sizeIn(line: string): number | undefined {
  return SIZE_LINE.test(line) ? Number.parseInt(line, 16) : undefined; // up to the first character that is no digit
}
