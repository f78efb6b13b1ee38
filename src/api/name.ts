// The `name` parameter: where it is in a query, and the rules that it keeps.

export const DEFAULT_NAME = 'World';
export const MIN_NAME_LENGTH = 1;
export const MAX_NAME_LENGTH = 80;

// One name in ASCII, encoded as it should be: what nearly everyone sends, and cheaper to decode.
const PLAIN_NAME = /^name=(?:[\w.~-]|%[2-7][\dA-Fa-f])*$/;

/**
 * The first `name` of a query (without its `?`), decoded as the WHATWG URL Standard decodes
 * `application/x-www-form-urlencoded`; the default when there is none.
 */
export function nameFrom(query: string): string {
  if (PLAIN_NAME.test(query)) return decodeURIComponent(query.slice('name='.length));
  // The constructor drops one leading `?`, so one is added: a question mark of the client's own is part of the first key.
  return new URLSearchParams(`?${query}`).get('name') ?? DEFAULT_NAME;
}

/**
 * What is wrong with a name, in words for the person who sent it; undefined when nothing is.
 * Lengths count Unicode code points, as JSON Schema's `maxLength` does, before trimming.
 */
export function nameError(name: string): string | undefined {
  if (name.length < MIN_NAME_LENGTH) {
    return `The name is empty: ${MIN_NAME_LENGTH} to ${MAX_NAME_LENGTH} characters are accepted.`;
  }
  // A code point is one or two UTF-16 units: most names are short enough without counting.
  if (name.length > MAX_NAME_LENGTH) {
    const length = Array.from(name).length;
    if (length > MAX_NAME_LENGTH) {
      return `The name has ${length} characters: ${MIN_NAME_LENGTH} to ${MAX_NAME_LENGTH} are accepted.`;
    }
  }
  if (name.trim() === '') {
    return 'The name is only white space: at least one other character is needed.';
  }
  return undefined;
}
