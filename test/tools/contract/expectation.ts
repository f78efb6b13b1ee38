// What can be expected of a reply. Everything that the specification leaves open is accepted: any order and case of
// field names, further fields, any framing, and any notation of the same JSON value.
import { isDeepStrictEqual } from 'node:util';
import { field, type Reply } from '../../support/replies.ts';
import { inside, isObject } from '../../support/schema.ts';
import type { Talk } from './talk.ts';

export type Expectation = {
  /** The expectation in words, for a report, such as "status 200". */
  readonly text: string;
  readonly holds: (reply: Reply, times: Pick<Talk, 'sentAt' | 'receivedAt'>) => boolean;
  /** Mistakes that it must find: each makes a wrong reply of a right one. The tests of the contract try each of them in each row. */
  readonly mistakes: readonly ((reply: Reply) => Reply)[];
};

/** A part of a reply: how it is read, and how another reply is made that has this value there; undefined: there is none. */
type Place = { readonly of: (reply: Reply) => unknown; readonly with: (reply: Reply, value: unknown) => Reply };

const STATUS: Place = { of: (reply) => reply.status, with: (reply, value) => ({ ...reply, status: Number(value) }) };
const BODY: Place = { of: (reply) => reply.body, with: (reply, value) => ({ ...reply, body: String(value) }) };
const fieldAt = (name: string): Place => ({
  of: (reply) => field(reply, name),
  with: (reply, value) => {
    const others = reply.headers.filter((line) => !line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
    return { ...reply, headers: value === undefined ? others : [...others, `${name}: ${String(value)}`] };
  },
});
const memberAt = (names: readonly string[]): Place => ({
  of: (reply) => inside(json(reply), ...names),
  with: (reply, value) => ({ ...reply, body: JSON.stringify(withValue(json(reply), names, value)) }),
});

/** The content as a JSON value; undefined when it is not JSON. */
export function json({ body: text }: Reply): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withValue(outer: unknown, [name, ...names]: readonly string[], value: unknown): unknown {
  return name === undefined ? value : { ...Object(outer), [name]: withValue(Object(outer)[name], names, value) };
}

// What is there passes `test`, and none of the values in `wrong` does.
function passes(place: Place, text: string, test: (value: unknown) => boolean, wrong: readonly unknown[]): Expectation {
  return { text, holds: (reply) => test(place.of(reply)), mistakes: wrong.map((value) => (reply) => place.with(reply, value)) };
}

// What is there has this value, and so none of the others in `wrong`.
function is(place: Place, text: string, expected: unknown, wrong: readonly unknown[]): Expectation {
  return passes(place, text, (value) => isDeepStrictEqual(value, expected), wrong.filter((value) => value !== expected));
}

export const status = (expected: number) => is(STATUS, `status ${expected}`, expected, [200, 204]);

/** The content is this text, as UTF-8. */
export const body = (expected: string) => is(BODY, `the body ${JSON.stringify(expected)}`, expected, [`${expected}\n`, '']);

export const noBody = is(BODY, 'no body', '', ['\n']);

/** The field has this value; undefined: there is no such field. */
export function fieldIs(name: string, expected: string | undefined): Expectation {
  return is(fieldAt(name), expected === undefined ? `no field ${name}` : `${name}: ${expected}`, expected, ['other', undefined]);
}

/** The Content-Type. It must have the parameters in `expected`, and may have others. */
export function mediaType(expected: string): Expectation {
  // RFC 9110 8.3.1: types, names of parameters and the value of charset are case-insensitive; a value may be quoted.
  const partsOf = (text: unknown) => String(text).toLowerCase().split(';').map((part) => part.trim().replace(/="(.*)"$/, '=$1'));
  const [type, ...parameters] = partsOf(expected);
  return passes(fieldAt('Content-Type'), `Content-Type ${expected}`, (value) => {
    const [sentType, ...sent] = partsOf(value);
    return sentType === type && parameters.every((parameter) => sent.includes(parameter));
  }, ['text/html', undefined, ...(parameters.length > 0 ? [type] : [])]);
}

const textOf = (path: string, text: string) => `${path === '' ? '' : `${path} in `}the JSON body: ${text}`;

/** The value at `path` (such as "errors.name"; empty: the whole) in the JSON body passes `test`, and none of the values in `wrong` does. */
export function member(path: string, text: string, test: (value: unknown) => boolean, ...wrong: readonly unknown[]): Expectation {
  return passes(memberAt(path === '' ? [] : path.split('.')), textOf(path, text), test, wrong);
}

/** The value at `path` is a string that this pattern matches. */
export function matches(path: string, text: string, pattern: RegExp, ...wrong: readonly unknown[]): Expectation {
  return member(path, text, (value) => isString(value) && pattern.test(value), ...wrong);
}

export function memberIs(path: string, expected: unknown): Expectation {
  const text = textOf(path, JSON.stringify(expected) ?? 'absent');
  return is(memberAt(path.split('.')), text, expected, [undefined, `${String(expected)} `]);
}

/** The value at `path` is an object with exactly these members, in any order. */
export function members(path: string, ...names: readonly string[]): Expectation {
  const named = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, '']));
  const areAll = (value: unknown) => isObject(value) && isDeepStrictEqual(named(Object.keys(value)), named(names));
  return member(path, `an object of ${names.join(', ')} and nothing else`, areAll, named(names.slice(1)), named([...names, 'other']));
}

const CLOCK_TOLERANCE_MS = 5_000; // a difference of two clocks up to this is accepted
const GENERATED_AT = memberAt(['generatedAt']);
const timeIn = (reply: Reply) => Date.parse(String(GENERATED_AT.of(reply)));

export const timeOfRequest: Expectation = {
  text: `generatedAt in the JSON body: the time of the request (to ${CLOCK_TOLERANCE_MS / 1000} seconds)`,
  holds: (reply, { sentAt, receivedAt }) =>
    timeIn(reply) >= sentAt - CLOCK_TOLERANCE_MS && timeIn(reply) <= receivedAt + CLOCK_TOLERANCE_MS,
  mistakes: [60_000, -60_000].map((ms) => (reply) => GENERATED_AT.with(reply, new Date(timeIn(reply) + ms))),
};

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** The value is an array of strings, at least one. */
export function isMessages(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isString);
}
