// What can be expected of a reply. Everything that the specification leaves open is accepted: any order and case of field names, further
// fields, any framing, and any notation of the same JSON value.
import { isDeepStrictEqual } from 'node:util';
import { field, type Reply } from '../../support/replies.ts';
import { inside, isObject } from '../../support/schema.ts';

export type Expectation = {
  /** In words, for a report, such as "status 200". */
  readonly text: string;
  /** The part of the reply that it is about; undefined: there is none. */
  readonly of: (reply: Reply) => unknown;
  readonly accepts: (value: unknown, sentAt: number) => boolean;
  /** Values that it must not accept. The tests of the contract try each of them. */
  readonly wrong: readonly unknown[];
};

const is = (text: string, of: Expectation['of'], expected: unknown): Expectation =>
  ({ text, of, accepts: (value) => isDeepStrictEqual(value, expected), wrong: [] });

export const status = (expected: number) => is(`status ${expected}`, (reply) => reply.status, expected);

/** The content is this text, as UTF-8. */
export const body = (expected: string) =>
  is(expected === '' ? 'no body' : `the body ${JSON.stringify(expected)}`, (reply) => reply.body, expected);

/** The field has this value; undefined: there is no such field. */
export const fieldIs = (name: string, expected: string | undefined) =>
  is(expected === undefined ? `no field ${name}` : `${name}: ${expected}`, (reply) => field(reply, name), expected);

/** The Content-Type. It must have the parameters in `expected`, and may have others. */
export function mediaType(expected: string): Expectation {
  // RFC 9110 8.3.1: types, names of parameters and the value of charset are case-insensitive; a value may be quoted.
  const partsOf = (text: unknown) => String(text).toLowerCase().split(';').map((part) => part.trim().replace(/="(.*)"$/, '=$1'));
  const accepts = (value: unknown) => partsOf(expected).every((part) => partsOf(value).includes(part));
  const wrong = ['text/html', 'text/html; charset=utf-8', undefined, ...(expected.includes(';') ? [expected.replace(/;.*/, '')] : [])];
  return { text: `Content-Type ${expected}`, of: (reply) => field(reply, 'Content-Type'), accepts, wrong };
}

/** The content as a JSON value; undefined when it is not JSON. */
export function json({ body: text }: Reply): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// The value at `path` (such as "errors.name"; empty: the whole) in the JSON body.
const at = (path: string) => (reply: Reply) => inside(json(reply), ...path.split('.').filter((name) => name !== ''));
const textOf = (path: string, text: string) => `${path === '' ? '' : `${path} in `}the JSON body: ${text}`;

export const memberIs = (path: string, expected: unknown) => is(textOf(path, JSON.stringify(expected) ?? 'absent'), at(path), expected);

export function member(path: string, text: string, accepts: Expectation['accepts'], ...wrong: readonly unknown[]): Expectation {
  return { text: textOf(path, text), of: at(path), accepts, wrong };
}

/** The value at `path` is a string that this pattern matches. */
export const matches = (path: string, text: string, pattern: RegExp, ...wrong: readonly unknown[]) =>
  member(path, text, (value) => isString(value) && pattern.test(value), ...wrong);

/** The value at `path` is an object with exactly these members, in any order. */
export function members(path: string, ...names: readonly string[]): Expectation {
  const areAll = (value: unknown) => isObject(value) && isDeepStrictEqual(Object.keys(value).sort(), names.toSorted());
  const more = Object.fromEntries([...names, 'other'].map((name) => [name, '']));
  return member(path, `an object of ${names.join(', ')} and nothing else`, areAll, undefined, {}, more);
}

const CLOCK_TOLERANCE_MS = 5_000; // a difference of two clocks up to this is accepted

export const timeOfRequest = member('generatedAt', `the time of the request (to ${CLOCK_TOLERANCE_MS / 1000} seconds)`, (value, sentAt) => {
  const time = Date.parse(String(value));
  return time >= sentAt - CLOCK_TOLERANCE_MS && time <= Date.now() + CLOCK_TOLERANCE_MS;
}, undefined, '2000-01-01T00:00:00+00:00', '3000-01-01T00:00:00+00:00');

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}
