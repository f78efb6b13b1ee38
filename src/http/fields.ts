// Field lines (RFC 9112 5): their form, and the values of those that mean something to the service.
import type { Line } from './lines.ts';

const TAB = 9, SPACE = 32, COLON = 58;

// RFC 9110 5.6.2: the characters of a token.
const IS_IN_TOKEN = Uint8Array.from({ length: 256 }, (_, byte) => Number(/[\w!#$%&'*+\-.^`|~]/.test(String.fromCharCode(byte))));

/**
 * Where the colon after the name of a field is, or -1 when the line is no field line. White space before the colon (RFC 9112 5.1)
 * and folded lines (5.2) are refused: programs disagree on what they mean (request smuggling).
 */
export function colonIn({ bytes, start, end }: Line): number {
  let at = start;
  while (IS_IN_TOKEN[bytes[at] ?? 0] === 1) at += 1; // after the last byte this ends, too
  return at > start && at < end && bytes[at] === COLON ? at : -1;
}

// RFC 9110 5.5: the value is without the spaces and tabs around it. (`trim` would remove other characters, too; and a pattern for the
// end of a text takes time that grows with the square of the white space inside it.)
function valueAfter(colon: number, { bytes, text, end }: Line): string {
  let from = colon + 1, to = end;
  while (from < to && isWhiteSpace(bytes[from])) from += 1;
  while (to > from && isWhiteSpace(bytes[to - 1])) to -= 1;
  return text.slice(from, to);
}

const isWhiteSpace = (byte: number | undefined) => byte === SPACE || byte === TAB;

// The fields that mean something to the service: the name of each in lower case, and the member of `Fields` that has its value.
const MEMBERS = {
  'host': 'host', 'connection': 'connection', 'content-length': 'contentLength', 'transfer-encoding': 'transferEncoding',
  'expect': 'expect', 'traceparent': 'traceparent',
} as const;
type Member = typeof MEMBERS[keyof typeof MEMBERS];

/** The member of `Fields` for the name of a field in lower case. */
export const MEMBER_OF: ReadonlyMap<string, Member> = new Map(Object.entries(MEMBERS));

/** The values of the fields that mean something to the service. */
export type Fields = { [member in Member]?: string };

/** Takes the next field line of a head into `fields`. Returns false when it is none. */
export function addField(fields: Fields, line: Line): boolean {
  const colon = colonIn(line);
  if (colon === -1) return false;
  const member = NAMES.find(({ name }) => name.length === colon - line.start && isNamed(line, name))?.member;
  if (member === undefined) return true;
  const value = valueAfter(colon, line), earlier = fields[member];
  fields[member] = earlier === undefined ? value : `${earlier}, ${value}`; // RFC 9110 5.3: two lines of a field mean one with both values
  return true;
}

const NAMES = Array.from(MEMBER_OF, ([name, member]) => ({ name, member }));
const CASE_BIT = 0x20; // set, it makes a capital letter lower case. Nothing else that a token may have becomes a letter or `-` by it.

// RFC 9110 5.1: names are case-insensitive.
function isNamed({ text, start }: Line, name: string): boolean {
  for (let i = 0; i < name.length; i += 1) {
    if ((text.charCodeAt(start + i) | CASE_BIT) !== name.charCodeAt(i)) return false;
  }
  return true;
}
