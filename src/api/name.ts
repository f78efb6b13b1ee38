// The parameter `name` of GET /api/greetings. api/description.ts says the same in JSON Schema.

const DEFAULT_NAME = 'World';
const MAX_LENGTH = 80;
const ACCEPTED = `1 to ${MAX_LENGTH}`;

/** The first name in a query (without its `?`), decoded as the URL Standard does, or the default if there is none. */
export function readName(query: string): string {
  const parameters = new URLSearchParams(`?${query}`); // it drops one leading `?`: this one, not one of the query's
  return parameters.get('name') ?? DEFAULT_NAME;
}

/** What is wrong with a name, in words for the person who sent it; undefined: nothing. */
export function faultInName(name: string): string | undefined {
  if (name === '') return `The name is empty: ${ACCEPTED} characters are accepted.`;
  const { length } = Array.from(name); // in Unicode code points, as for `maxLength` of JSON Schema
  if (length > MAX_LENGTH) return `The name has ${length} characters: ${ACCEPTED} are accepted.`;
  return name.trim() === '' ? 'The name is only white space: at least one other character is needed.' : undefined;
}
