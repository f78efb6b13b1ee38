// Makes a greeting, and writes its time stamp. Both functions depend on nothing but their arguments.

export type GreetingParameters = { readonly name: string };

export type Greeting = { readonly message: string; readonly generatedAt: string };

/** Greets the name, without the white space around it, with this time stamp. Throws a RangeError for a name of nothing but white space. */
export function greet({ name }: GreetingParameters, generatedAt: string): Greeting {
  const trimmed = name.trim();
  if (trimmed === '') throw new RangeError('A name that is only white space cannot be greeted.');
  return { message: `Hello, ${trimmed}!`, generatedAt };
}

/** Writes a time (milliseconds since the epoch) in ISO 8601: UTC, with an offset. Throws a RangeError for a time that no date can hold. */
export function formatTimeStamp(time: number): string { return new Date(time).toISOString().replace('Z', '+00:00'); }
