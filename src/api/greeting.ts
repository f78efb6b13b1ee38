// What a greeting says: its message, and its time.

/** Greets the name, without the white space around it. Throws a RangeError for a name of nothing but white space. */
export function greet(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw new RangeError('A name that is only white space cannot be greeted.');
  return `Hello, ${trimmed}!`;
}

/** Formats a time (milliseconds since the epoch) as ISO 8601, in UTC. Throws a RangeError if no Date can hold it. */
export function formatTimestamp(time: number): string {
  return new Date(time).toISOString().replace('Z', '+00:00');
}
