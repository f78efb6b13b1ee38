// The characters that texts of requests have, one for each byte, and the ways to divide such a text into the pieces in which it may arrive.

export const CHARACTERS: readonly string[] = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));

/** Those of a token (RFC 9110 5.6.2). */
export const TOKEN = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Every way to divide `text` into pieces of at least one byte, which are twice as many for each byte more. */
export function divisions(text: string): string[][] {
  if (text.length < 2) return [[text]];
  const first = text.slice(0, 1);
  return divisions(text.slice(1)).flatMap(([next = '', ...others]) => [[first, next, ...others], [first + next, ...others]]);
}

/** Whole, byte by byte, and cut once at every place: also before the first byte and after the last one. */
export function cutsOf(text: string): string[][] {
  const cuts = Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)]);
  return [[text], text.split(''), ...cuts];
}
