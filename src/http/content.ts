// Reads the content of a request to its end, and discards it (RFC 9112 6). It is read before the reply: if it is malformed, nobody can
// tell where the next request begins (request smuggling). Functions that read are generators: each stops at `yield` until there are more
// bytes, and returns the rule that the content breaks, if any.
import { nameIn, NOT_IN_TRAILERS } from './fields.ts';
import { SIZE_LIMITS } from './limits.ts';
import type { LineReader } from './lines.ts';
import type { Reason } from './refusals.ts';

type Steps = Generator<undefined, Reason | undefined>;

/** Reads chunked content (RFC 9112 7.1): lines with a size, each followed by that many bytes and CR LF; the size 0; and trailers. */
export function* readChunks(lines: LineReader): Steps {
  let framing = SIZE_LIMITS.framingBytes, content = SIZE_LIMITS.contentBytes; // what is left of these limits
  let result: boolean | Reason;
  for (;;) {
    const tooLong = framing < SIZE_LIMITS.chunkLineBytes ? 'chunkFramingTooLong' : 'chunkLineTooLong';
    while ((result = lines.read(Math.min(SIZE_LIMITS.chunkLineBytes, framing), tooLong)) === false) yield;
    if (result !== true) return result;
    framing -= lines.length;
    const size = sizeIn(lines.text);
    if (typeof size === 'string') return size;
    if (size === 0) return yield* readTrailers(lines, framing);
    content -= size;
    if (content < 0) return 'contentTooLong'; // RFC 9110 15.5.14
    for (let remaining = size; (remaining -= lines.skip(remaining)) > 0;) yield;
    while ((result = lines.read('\r\n'.length, 'chunkData')) === false) yield;
    if (result !== true) return 'chunkData'; // also where a control character stands in place of CR LF
  }
}

// RFC 9112 7.1.2: field lines up to an empty line. Nothing that they say is acted on; fields about framing and routing must not be among
// them (RFC 9110 6.5.1), because some programs obey them even there (request smuggling).
function* readTrailers(lines: LineReader, remaining: number): Steps {
  for (;;) {
    let result: boolean | Reason;
    while ((result = lines.read(remaining, 'trailersTooLong')) === false) yield; // RFC 6585 5
    if (result !== true) return result;
    remaining -= lines.length;
    if (lines.text === '') return undefined;
    const name = nameIn(lines.text);
    if (name === undefined) return 'trailerLine';
    if (NOT_IN_TRAILERS.includes(name.toLowerCase())) return 'trailerNotAllowed';
  }
}

// RFC 9112 7.1.1: a size, and perhaps extensions: names, and perhaps values, which are tokens or quoted strings (RFC 9110 5.6.4). Programs
// disagree on the number when it has more than eight digits, and on white space around `;` and `=`.
const TOKEN = /[\w!#$%&'*+\-.^`|~]+/.source;
const QUOTED = /"(?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"/.source;
const sizeLine = (space: string) =>
  new RegExp(`^[\\dA-Fa-f]{1,8}(?:${space};${space}${TOKEN}(?:${space}=${space}(?:${TOKEN}|${QUOTED}))?)*$`);
const [SIZE_LINE, SPACED_SIZE_LINE] = [sizeLine(''), sizeLine('[ \\t]*')];

function sizeIn(line: string): number | Reason {
  if (SIZE_LINE.test(line)) return Number.parseInt(line, 16); // up to the first character that is not a digit
  if (/^[\dA-Fa-f]{9}/.test(line)) return 'chunkSizeTooLong';
  if (SPACED_SIZE_LINE.test(line)) return 'spaceInChunkExtension';
  return /^[\dA-Fa-f]+[ \t]*;/.test(line) ? 'chunkExtension' : 'chunkSize';
}
