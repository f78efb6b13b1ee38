// The parameters of GET /api/greetings: the default value, the schema and the rules of each. The API description is made from `PARAMETERS`.
import type { GreetingParameters } from './greeting.ts';

/** The parameters that an empty query stands for. */
export const DEFAULT_PARAMETERS: GreetingParameters = { name: 'World' };

type Parameter = {
  readonly name: keyof GreetingParameters;
  readonly description: string; // this and the next two are for the API description
  readonly example: string;
  readonly schema: Readonly<Record<string, unknown>>; // a JSON Schema
  readonly errorIn: (value: string) => string | undefined; // what is wrong with a value, in words for the person who sent it
};

const MIN_NAME_LENGTH = 1;
const MAX_NAME_LENGTH = 80;
const ACCEPTED = `${MIN_NAME_LENGTH} to ${MAX_NAME_LENGTH}`;

/** All parameters. Each needs a default value above, and the API description has them in this order. */
export const PARAMETERS: readonly Parameter[] = [
  {
    name: 'name',
    description: 'Whom to greet. A name must not consist of white space alone. Its length is counted in Unicode code points.',
    example: 'Ada Lovelace',
    schema: { type: 'string', minLength: MIN_NAME_LENGTH, maxLength: MAX_NAME_LENGTH, pattern: '\\S' },
    errorIn: errorInName,
  },
];

function errorInName(name: string): string | undefined {
  const { length } = Array.from(name); // in code points, as for `maxLength` of JSON Schema. White space around the name counts, too.
  if (length < MIN_NAME_LENGTH) return `The name is empty: ${ACCEPTED} characters are accepted.`;
  if (length > MAX_NAME_LENGTH) return `The name has ${length} characters: ${ACCEPTED} are accepted.`;
  return name.trim() === '' ? 'The name is only white space: at least one other character is needed.' : undefined;
}

/** The parameters that a query stands for, or, for each that breaks a rule, what is wrong with it. */
type GreetingQuery = { readonly parameters: GreetingParameters } | { readonly errors: Readonly<Record<string, readonly string[]>> };

/** Decodes a query, without its `?`, as the WHATWG URL Standard does, and validates all parameters. Of equal keys, the first counts. */
export function parseGreetingQuery(query: string): GreetingQuery {
  const parameters = { ...DEFAULT_PARAMETERS }, errors: Record<string, readonly string[]> = {};
  for (const { name, pattern, errorIn } of READERS) {
    const encoded = pattern.exec(query)?.[1];
    if (encoded === undefined) continue;
    const value = String(new URLSearchParams(`=${encoded}`).get('')), error = errorIn(value);
    if (error === undefined) parameters[name] = value;
    else errors[name] = [error];
  }
  return Object.keys(errors).length > 0 ? { errors } : { parameters };
}

const READERS = PARAMETERS.map((parameter) => ({ ...parameter, pattern: patternOf(parameter.name) }));

/**
 * A pattern for the value of the first key whose decoded form is `name`, which has no space and none of `+&=`. Other keys are not decoded:
 * a query may have thousands of them.
 */
export function patternOf(name: string): RegExp {
  const anyCase = (digits: string) => digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const letters = Buffer.from(name).toString('hex').replace(/../g, (digits) => `(?:\\x${digits}|%${anyCase(digits)})`);
  return new RegExp(`(?:^|&)${letters}(?![^=&])=?([^&]*)`);
}
