/** The ways in which a text may arrive: whole, byte by byte, and cut once at every place, also before the first byte and after the last. */
export function cutsOf(text: string): string[][] {
  const cuts = Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)]);
  return [[text], text.split(''), ...cuts];
}
