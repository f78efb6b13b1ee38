// Field lines (RFC 9112 5): their form, and the values of those that mean something to the service.
import type { Line } from './lines.ts';

const TAB = 9, SPACE = 32, COLON = 58;

// RFC 9110 5.6.2: the characters of a token.
const IS_IN_TOKEN = Uint8Array.from({ length: 256 }, (_, byte) => Number(/[\w!#$%&'*+\-.^`|~]/.test(String.fromCharCode(byte))));

/**
 * Where the colon behind the name of a field is, or -1 when the line is no field line. White space in front of the colon (RFC 9112 5.1)
 * and folded lines (5.2) are refused: programs disagree on what they mean (request smuggling).
 */
export function colonIn({ bytes, start, end }: Line): number {
  let at = start;
  while (IS_IN_TOKEN[bytes[at] ?? 0] === 1) at += 1; // behind the last byte this ends, too
  return at > start && at < end && bytes[at] === COLON ? at : -1;
}

// RFC 9110 5.5: the value is without the spaces and tabs around it. (`trim` would remove other characters, too; and a pattern for the
// end of a text takes time that grows with the square of the white space inside it.)
function valueBehind(colon: number, { bytes, text, end }: Line): string {
  let from = colon + 1, to = end;
  while (from < to && isWhiteSpace(bytes[from])) from += 1;
  while (to > from && isWhiteSpace(bytes[to - 1])) to -= 1;
  return text.slice(from, to);
}

const isWhiteSpace = (byte: number | undefined) => byte === SPACE || byte === TAB;

// Faster: names of other lengths are not looked at, 0.03 of a bare server with a browser's fields.
const HAS_LENGTH_OF_NAME = Uint8Array.from({ length: 256 }, (_, length) => Number([4, 6, 10, 11, 14, 17].includes(length)));

/** The values of the fields that mean something to the service. Undefined: there is no such field. */
export class Fields {
  host: string | undefined; connection: string | undefined;
  contentLength: string | undefined; transferEncoding: string | undefined;
  expect: string | undefined; traceparent: string | undefined;

  /** Takes the next field line. Returns false when it is none. */
  add(line: Line): boolean {
    const colon = colonIn(line);
    if (colon === -1) return false;
    if (HAS_LENGTH_OF_NAME[colon - line.start] !== 1) return true;
    switch (line.text.slice(line.start, colon).toLowerCase()) { // RFC 9110 5.1: names are case-insensitive
      case 'host': this.host = joined(this.host, valueBehind(colon, line)); break;
      case 'content-length': this.contentLength = joined(this.contentLength, valueBehind(colon, line)); break;
      case 'transfer-encoding': this.transferEncoding = joined(this.transferEncoding, valueBehind(colon, line)); break;
      case 'connection': this.connection = joined(this.connection, valueBehind(colon, line)); break;
      case 'expect': this.expect = joined(this.expect, valueBehind(colon, line)); break;
      case 'traceparent': this.traceparent = joined(this.traceparent, valueBehind(colon, line)); break;
    }
    return true;
  }
}

// RFC 9110 5.3: two lines of a field mean one with both values and a comma between them.
const joined = (earlier: string | undefined, value: string) => (earlier === undefined ? value : `${earlier}, ${value}`);
