// Ways to divide bytes into the pieces in which they may arrive.

/** Every way to divide `text` into pieces of at least one byte, which are twice as many for each byte more. */
export function divisions(text: string): string[][] {
  if (text.length < 2) return [[text]];
  const first = text.slice(0, 1);
  return divisions(text.slice(1)).flatMap(([next = '', ...others]) => [[first, next, ...others], [first + next, ...others]]);
}

/** Whole, byte by byte, and cut once at every place: also in front of the first byte and behind the last one. */
export function cutsOf(text: string): string[][] {
  const cuts = Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)]);
  return [[text], text.split(''), ...cuts];
}
