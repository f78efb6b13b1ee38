// Reads the content of a request to its end, and discards it (RFC 9112 6). It is read before the reply: if it is malformed, nobody can
// tell where the next request begins (request smuggling). Functions that read are generators: each stops at `yield` until there are more
// bytes, and returns the status to refuse the content with, if any.
import { colonIn } from './fields.ts';
import { SIZE_LIMITS } from './limits.ts';
import type { LineReader } from './lines.ts';

type Steps = Generator<undefined, number | undefined>;

/** Reads content of this length in bytes (RFC 9112 6.2), or, when it is undefined, chunks. */
export function* readContent(lines: LineReader, length: number | undefined): Steps {
  if (length === undefined) return yield* readChunks(lines);
  for (let remaining = length; (remaining -= lines.skip(remaining)) > 0;) yield;
  return undefined;
}

// RFC 9112 7.1: lines with a size, each followed by that many bytes of data and CR LF; a line with the size 0; and trailers.
function* readChunks(lines: LineReader): Steps {
  let framing = SIZE_LIMITS.framingBytes, content = SIZE_LIMITS.contentBytes; // what is left of these limits
  let line: ReturnType<LineReader['read']>;
  for (;;) {
    while ((line = lines.read(Math.min(SIZE_LIMITS.chunkLineBytes, framing), 400)) === undefined) yield;
    if (typeof line === 'number') return line;
    framing -= lines.length;
    const size = sizeIn(line.text.slice(line.start, line.end));
    if (size === undefined) return 400;
    if (size === 0) return yield* readTrailers(lines, framing);
    content -= size;
    if (content < 0) return 413; // RFC 9110 15.5.14
    for (let remaining = size; (remaining -= lines.skip(remaining)) > 0;) yield;
    while ((line = lines.read('\r\n'.length, 400)) === undefined) yield;
    if (typeof line === 'number') return line;
  }
}

// RFC 9112 7.1.2: field lines up to an empty line. Nothing that they say is acted on (RFC 9110 6.5.1).
function* readTrailers(lines: LineReader, remaining: number): Steps {
  for (;;) {
    let line: ReturnType<LineReader['read']>;
    while ((line = lines.read(remaining, 431)) === undefined) yield; // RFC 6585 5
    if (typeof line === 'number') return line;
    remaining -= lines.length;
    if (line.start === line.end) return undefined;
    if (colonIn(line) === -1) return 400;
  }
}

// RFC 9112 7.1.1: a size, and perhaps extensions: names, and perhaps values, which are tokens or quoted strings (RFC 9110 5.6.4). Programs
// disagree on the number when it has more than eight digits.
const TOKEN = /[\w!#$%&'*+\-.^`|~]+/.source;
const QUOTED = /"(?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"/.source;
const EXTENSION = `[ \t]*;[ \t]*${TOKEN}(?:[ \t]*=[ \t]*(?:${TOKEN}|${QUOTED}))?`;
const SIZE_LINE = new RegExp(`^[\\dA-Fa-f]{1,8}(?:${EXTENSION})*$`);

function sizeIn(line: string): number | undefined {
  return SIZE_LINE.test(line) ? Number.parseInt(line, 16) : undefined; // up to the first character that is not a digit
}
