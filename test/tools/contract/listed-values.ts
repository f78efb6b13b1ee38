// The rows for the values that a description lists: one for each member of an `enum`, so that none of them is left untried.
import type { Shape } from './endpoints.ts';
import { isObject, memberIs, status, type Expectation } from './expectation.ts';
import { ask, type Row, type Section, type Subject } from './row.ts';

/** A section for each parameter of `described` whose schema has an `enum`. */
export function listedValues(subject: Subject, described: Readonly<Record<string, Shape>>): Section[] {
  return Object.entries(described).flatMap(([path, { parameters, listed }]) => parameters.flatMap(({ name, schema }): Section[] => {
    if (!isObject(schema) || !Array.isArray(schema['enum'])) return [];
    const rows = schema['enum'].map(String).map((value): Row => ({
      says: `${value}, which the description lists for ${name}, is accepted, and the reply is the one for it`,
      steps: [ask(subject, `GET ${path}?${name}=${encodeURIComponent(value)}`, [status(200), ...expectationsFor(name, value, listed?.[name]?.[value])], undefined)],
    }));
    return [{ heading: `GET ${path}: the values of ${name}`, rows }];
  }));
}

function expectationsFor(name: string, value: string, members: object | undefined): Expectation[] {
  if (members === undefined) return [{ text: `what \`listed\` in endpoints.ts must say of ${name}=${value}, and does not`, holds: () => false }];
  return Object.entries(members).map(([path, expected]) => memberIs(path, expected));
}
