// The rows for the values that a description lists: one for each member of an `enum`, so that none of them is left untried, and one for
// a value that is no member.
import type { Shape } from './endpoints.ts';
import { isObject, isString, member, memberIs, status, type Expectation } from './expectation.ts';
import { ask, type Row, type Section, type Subject } from './row.ts';

/** A section for each parameter of `described` whose schema has an `enum`. */
export function listedValues(subject: Subject, described: Readonly<Record<string, Shape>>): Section[] {
  return Object.entries(described).flatMap(([path, { parameters, listed }]) => parameters.flatMap(({ name, schema }): Section[] => {
    if (!isObject(schema) || !Array.isArray(schema['enum'])) return [];
    const values = schema['enum'].map(String);
    const get = (value: string, ...expected: readonly Expectation[]) => [ask(subject, `GET ${path}?${name}=${encodeURIComponent(value)}`, expected)];
    const rows = values.map((value): Row => ({
      says: `${value}, which the description lists for ${name}, is accepted, and the reply is the one for it`,
      steps: get(value, status(200), ...expectationsFor(name, value, listed?.[name]?.[value])),
    }));
    const refused = [status(400), member(`errors.${name}`, 'an array of strings', (messages) => Array.isArray(messages) && messages.length > 0 && messages.every(isString), undefined)];
    const unlisted = { says: `a value that the description does not list for ${name} is refused with 400`, steps: get(`${values.join('')}-`, ...refused) };
    return [{ heading: `GET ${path}: the values of ${name}`, rows: [...rows, unlisted] }];
  }));
}

function expectationsFor(name: string, value: string, members: object | undefined): Expectation[] {
  if (members === undefined) return [{ text: `what \`listed\` in endpoints.ts must say of ${name}=${value}, and does not`, holds: () => false, mistakes: [] }];
  return Object.entries(members).map(([path, expected]) => memberIs(path, expected));
}
