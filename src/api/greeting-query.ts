// The parameters of GET /api/greetings: the default value, the schema and the rules of each. The API description is made from this table.
import type { GreetingParameters } from './greeting.ts';

/** The parameters that an empty query stands for. */
export const DEFAULT_PARAMETERS: GreetingParameters = { name: 'World' };

type Parameter = {
  readonly name: keyof GreetingParameters;
  /** What the API description says of it: in words, as an example, and as a JSON Schema. */
  readonly description: string;
  readonly example: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** Returns what is wrong with a value, in words for the person who sent it, or undefined when it keeps all rules. */
  readonly errorIn: (value: string) => string | undefined;
};

const MIN_NAME_LENGTH = 1;
const MAX_NAME_LENGTH = 80;

/** All parameters. Each needs a default value above, and the API description has them in this order. */
export const PARAMETERS: readonly Parameter[] = [
  {
    name: 'name',
    description: 'Who is greeted. A name must not be only white space. Characters are Unicode code points.',
    example: 'Ada Lovelace',
    schema: { type: 'string', minLength: MIN_NAME_LENGTH, maxLength: MAX_NAME_LENGTH, pattern: '\\S' },
    errorIn: errorInName,
  },
];

function errorInName(name: string): string | undefined {
  const accepted = `${MIN_NAME_LENGTH} to ${MAX_NAME_LENGTH}`;
  if (name.length < MIN_NAME_LENGTH) return `The name is empty: ${accepted} characters are accepted.`;
  // Characters are code points, as in `maxLength` of JSON Schema: one or two code units. White space around the name counts, too.
  const length = name.length > MAX_NAME_LENGTH ? Array.from(name).length : name.length;
  if (length > MAX_NAME_LENGTH) return `The name has ${length} characters: ${accepted} are accepted.`;
  return name.trim() === '' ? 'The name is only white space: at least one other character is needed.' : undefined;
}

/** Says for each parameter that breaks a rule what is wrong with it. */
export type GreetingErrors = Readonly<Record<string, readonly string[]>>;

/**
 * Decodes a query, which is passed without its `?`, as the WHATWG URL Standard decodes `application/x-www-form-urlencoded`,
 * and validates all parameters. When a key is there twice, its first value counts.
 */
export function parseGreetingQuery(query: string): { readonly parameters: GreetingParameters } | { readonly errors: GreetingErrors } {
  const parameters = { ...DEFAULT_PARAMETERS };
  const errors: Record<string, readonly string[]> = {};
  for (const { name, pattern, errorIn } of READERS) {
    const match = pattern.exec(query);
    if (match === null) continue;
    const value = decode(match[1] ?? '');
    const error = errorIn(value);
    if (error === undefined) parameters[name] = value;
    else errors[name] = [error];
  }
  return Object.keys(errors).length === 0 ? { parameters } : { errors };
}

// Faster: what is in ASCII, and encoded without mistakes, needs no URLSearchParams.
const PLAIN = /^(?:[\w.~-]|%[0-7][\dA-Fa-f])*$/;

function decode(value: string): string {
  return PLAIN.test(value) ? decodeURIComponent(value) : Array.from(new URLSearchParams(`=${value}`).values()).join('');
}

const READERS = PARAMETERS.map(({ name, errorIn }) => ({ name, pattern: patternOf(name), errorIn }));

// The first key that is `name` when it has been decoded, and its value if it has one. One pass: other keys are not decoded, because a
// query may have thousands of them.
function patternOf(name: string): RegExp {
  const letters = Array.from(name, (letter) => `(?:${letter}|%${anyCase(letter.charCodeAt(0).toString(16))})`);
  return new RegExp(`(?:^|&)${letters.join('')}(?:=([^&]*)|&|$)`);
}

function anyCase(digits: string): string { return digits.replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`); }
