// Makes a greeting.

export type GreetingParameters = { readonly name: string };

/** Greets the name, without the white space around it. Throws a RangeError for a name of nothing but white space. */
export function greet({ name }: GreetingParameters): string {
  const trimmed = name.trim();
  if (trimmed === '') throw new RangeError('A name that is only white space cannot be greeted.');
  return `Hello, ${trimmed}!`;
}
