// Field lines (RFC 9112 5): their form, and the values of those that mean something to the service.
import type { Line } from './lines.ts';
import type { Reason } from './refusals.ts';

const TAB = 9, SPACE = 32, COLON = 58;

// RFC 9110 5.6.2: the characters of a token.
const IS_IN_TOKEN = Uint8Array.from({ length: 256 }, (_, byte) => Number(/[\w!#$%&'*+\-.^`|~]/.test(String.fromCharCode(byte))));

/** Where the colon after the name of a field is, or -1 when the line is not a field line. */
export function colonIn({ bytes, start }: Line): number {
  // RFC 9112 5.1 and 5.2: no white space before the colon, and no folded lines. Programs disagree on what they mean (request smuggling).
  let at = start;
  while (IS_IN_TOKEN[bytes[at] ?? COLON] === 1) at += 1; // this stops at the CR, if not before
  return at > start && bytes[at] === COLON ? at : -1;
}

/** A value without the spaces and tabs around it, which do not belong to it (RFC 9110 5.5). `trim` would remove more. */
export function withoutSpace(value: string): string {
  let from = 0, to = value.length; // a pattern takes twice as long, and a list may have 16,000 members
  while (isSpace(value.charCodeAt(from))) from += 1;
  while (to > from && isSpace(value.charCodeAt(to - 1))) to -= 1;
  return value.slice(from, to);
}

const isSpace = (character: number) => character === SPACE || character === TAB;

/** The names of the fields that mean something to the service, in lower case. */
export const NAMES = ['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'traceparent'] as const;

/** The fields that must not be trailers: they would change framing or routing after the fact (RFC 9110 6.5.1). */
export const NOT_IN_TRAILERS: readonly string[] = ['connection', 'content-length', 'host', 'transfer-encoding'];

/** The values of fields that mean something here. */
export type Fields = { [name in typeof NAMES[number]]?: string | undefined };

/** Adds the next line of a head to `fields`, if its name is one of `NAMES`. Returns the rule that it breaks, if any. */
export function addField(fields: Fields, line: Line): Reason | undefined {
  const colon = colonIn(line);
  if (colon === -1) return faultIn(line.text.slice(line.start, line.end));
  addValue(fields, line.text.slice(line.start, colon), line.text.slice(colon + 1, line.end));
  return undefined;
}

/** Adds the value of a field to `fields`, if its name is one of `NAMES`. */
export function addValue(fields: Fields, anyCase: string, value: string): void {
  const lowerCase = anyCase.toLowerCase(); // RFC 9110 5.1: names are case-insensitive
  const name = NAMES.find((known) => known === lowerCase);
  if (name === undefined) return;
  const own = withoutSpace(value), earlier = fields[name];
  fields[name] = earlier === undefined ? own : `${earlier}, ${own}`; // RFC 9110 5.3: two lines with one name mean one with both values
}

function faultIn(line: string): Reason {
  if (/^[ \t]/.test(line)) return 'fieldFolded';
  return /^[^ \t:]+[ \t]+:/.test(line) ? 'spaceBeforeColon' : 'fieldLine';
}
