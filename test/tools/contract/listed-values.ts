// The rows for the values that a description lists: one for each member of an `enum`, so that none of them is left untried, and one for
// a value that is no member.
import { isObject } from '../../support/schema.ts';
import type { Shape } from './endpoints.ts';
import { isMessages, member, memberIs, status, type Expectation } from './expectation.ts';
import { asking, row, type Expected, type Section, type Subject } from './row.ts';

/** A section for each parameter of `described` whose schema has an `enum`. */
export function listedValues(subject: Subject, described: Readonly<Record<string, Shape>>): Section[] {
  return Object.entries(described).flatMap(([path, { parameters, listed }]) => parameters.flatMap(({ name, schema }): Section[] => {
    if (!isObject(schema) || !Array.isArray(schema['enum'])) return [];
    const values = schema['enum'].map(String);
    const get = (value: string, ...expected: Expected) => asking(subject).ask(`GET ${path}?${name}=${encodeURIComponent(value)}`, expected);
    const rows = values.map((value) => row(
      `${value}, which the description lists for ${name}, is accepted, and the reply is the one for it`,
      get(value, status(200), ...expectationsFor(name, value, listed?.[name]?.[value])),
    ));
    const unlisted = row(
      `a value that the description does not list for ${name} is refused with 400`,
      get(`${values.join('')}-`, status(400), member(`errors.${name}`, 'an array of strings, at least one', isMessages, undefined)),
    );
    return [{ heading: `GET ${path}: the values of ${name}`, rows: [...rows, unlisted] }];
  }));
}

function expectationsFor(name: string, value: string, members: object | undefined): Expectation[] {
  const missing = `what \`listed\` in endpoints.ts must say of ${name}=${value}, and does not`;
  if (members === undefined) return [{ text: missing, holds: () => false, mistakes: [] }];
  return Object.entries(members).map(([path, expected]) => memberIs(path, expected));
}
