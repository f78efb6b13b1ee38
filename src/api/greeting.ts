// The greeting itself: a function of a name and a time.

export type Greeting = { readonly message: string; readonly generatedAt: string };

/**
 * Greets `name`, without the white space around it, at `now` (milliseconds since the epoch).
 * Throws a RangeError for a name of nothing but white space and for a time that no date can hold.
 */
export function greet(name: string, now: number): Greeting {
  const trimmed = name.trim();
  if (trimmed === '') throw new RangeError('A name of white space only cannot be greeted.');
  return { message: `Hello, ${trimmed}!`, generatedAt: timestamp(now) };
}

let stampedAt = Number.NaN;
let stamp = '';

// ISO 8601 in UTC with a numeric offset. One string serves every greeting of the same millisecond.
function timestamp(now: number): string {
  if (now !== stampedAt) {
    stamp = new Date(now).toISOString().replace('Z', '+00:00');
    stampedAt = now;
  }
  return stamp;
}
