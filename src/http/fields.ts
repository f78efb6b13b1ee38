// Field lines (RFC 9112 5): their form, and the values of those that mean something to the service.
import type { Reason } from './refusals.ts';

// A token (RFC 9110 5.6.2) and a colon. White space before either is illegal (RFC 9112 5.1 and 5.2): programs disagree on what it means.
const NAME_AND_COLON = /^[\w!#$%&'*+\-.^`|~]+:/;

/** The name in a field line, or undefined when the line is not one. */
export function nameIn(line: string): string | undefined {
  return NAME_AND_COLON.test(line) ? line.slice(0, line.indexOf(':')) : undefined;
}

/** A value without the spaces and tabs around it, which do not belong to it (RFC 9110 5.5). `trim` would remove more. */
export function withoutSpace(value: string): string {
  let from = 0, to = value.length; // a pattern takes twice as long, and a list may have 16,000 members
  while (isSpace(value.charAt(from))) from += 1;
  while (to > from && isSpace(value.charAt(to - 1))) to -= 1;
  return value.slice(from, to);
}

const isSpace = (character: string) => character === ' ' || character === '\t';

/** The names of the fields that mean something to the service, in lower case. */
export const NAMES = ['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'traceparent'] as const;

/** The fields that must not be trailers: they would change framing or routing after the fact (RFC 9110 6.5.1). */
export const NOT_IN_TRAILERS: readonly string[] = ['connection', 'content-length', 'host', 'transfer-encoding'];

/** The values of fields that mean something here. */
export type Fields = { [name in typeof NAMES[number]]?: string | undefined };

/** Adds the next line of a head to `fields`, if its name is one of `NAMES`. Returns the rule that it breaks, if any. */
export function addField(fields: Fields, line: string): Reason | undefined {
  const name = nameIn(line);
  if (name === undefined) return faultIn(line);
  addValue(fields, name, line.slice(name.length + 1));
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
