// What can be expected of a reply. Everything that the specification leaves open is accepted: any order and case of
// field names, further fields, any framing, and any notation of the same JSON value.
import { isDeepStrictEqual } from 'node:util';
import { field, json, type Reply } from './reply.ts';

/** When the request was sent and when the reply had arrived, in milliseconds since the epoch. */
export type Times = { readonly sentAt: number; readonly receivedAt: number };

export type Expectation = {
  /** The expectation in words, for a report, such as "status 200". */
  readonly text: string;
  readonly holds: (reply: Reply, times: Times) => boolean;
};

export function status(expected: number): Expectation {
  return { text: `status ${expected}`, holds: (reply) => reply.status === expected };
}

/** The Content-Type. It must have the parameters in `expected`, and may have others. */
export function mediaType(expected: string): Expectation {
  const [type, ...parameters] = mediaTypeParts(expected);
  return {
    text: `Content-Type ${expected}`,
    holds: (reply) => {
      const [sentType, ...sentParameters] = mediaTypeParts(field(reply, 'content-type') ?? '');
      return sentType === type && parameters.every((parameter) => sentParameters.includes(parameter));
    },
  };
}

// RFC 9110 8.3.1: types, names of parameters and the value of charset are case-insensitive; a value may be quoted.
function mediaTypeParts(text: string): string[] {
  return text.toLowerCase().split(';').map((part) => part.trim().replace(/="(.*)"$/, '=$1'));
}

export function body(expected: string): Expectation {
  return { text: `the body ${JSON.stringify(expected)}`, holds: (reply) => reply.body === expected };
}

export const noBody: Expectation = { text: 'no body', holds: (reply) => reply.body === '' };

/** The field has this value; undefined: there is no such field. */
export function fieldIs(name: string, expected: string | undefined): Expectation {
  return {
    text: expected === undefined ? `no field ${name}` : `${name}: ${expected}`,
    holds: (reply) => field(reply, name.toLowerCase()) === expected,
  };
}

/** The value at `path` (such as "errors.name") in the JSON body passes `test`; `text` describes the test. */
export function member(path: string, text: string, test: (value: unknown) => boolean): Expectation {
  return { text: `${path} in the JSON body: ${text}`, holds: (reply) => test(valueAt(json(reply), path)) };
}

function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined), value);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function memberIs(path: string, expected: unknown): Expectation {
  return member(path, JSON.stringify(expected) ?? 'absent', (value) => isDeepStrictEqual(value, expected));
}

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** The JSON body is an object with exactly these members, in any order. */
export function members(...names: readonly string[]): Expectation {
  return {
    text: `a JSON object of ${names.join(', ')} and nothing else`,
    holds: (reply) => {
      const value = json(reply);
      return isObject(value) && JSON.stringify(Object.keys(value).sort()) === JSON.stringify([...names].sort());
    },
  };
}

export function message(name: string): Expectation {
  return memberIs('message', `Hello, ${name}!`);
}

/** A difference of two clocks up to this is accepted. */
const CLOCK_TOLERANCE_MS = 5_000;

export const timeOfRequest: Expectation = {
  text: `generatedAt in the JSON body: the time of the request (to ${CLOCK_TOLERANCE_MS / 1000} seconds)`,
  holds: (reply, { sentAt, receivedAt }) => {
    const value = valueAt(json(reply), 'generatedAt');
    const time = isString(value) ? Date.parse(value) : Number.NaN;
    return time >= sentAt - CLOCK_TOLERANCE_MS && time <= receivedAt + CLOCK_TOLERANCE_MS;
  },
};
