// What can be expected of a reply. Each expectation is as lenient as the specification is silent: fields in
// any case and order, further fields, any framing, JSON compared as values.
import { isDeepStrictEqual } from 'node:util';
import { field, json, type Reply } from './reply.ts';

/** When the request was sent and the reply was there: milliseconds since the epoch. */
export type Times = { readonly sentAt: number; readonly receivedAt: number };

export type Expectation = {
  /** It in words, for a report: "status 200". */
  readonly text: string;
  readonly holds: (reply: Reply, times: Times) => boolean;
};

export function status(expected: number): Expectation {
  return { text: `status ${expected}`, holds: (reply) => reply.status === expected };
}

/** The Content-Type: further parameters are allowed, those in `expected` must be there. */
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

/** One field with that value; `undefined`: no such field. */
export function fieldIs(name: string, expected: string | undefined): Expectation {
  return {
    text: expected === undefined ? `no field ${name}` : `${name}: ${expected}`,
    holds: (reply) => field(reply, name.toLowerCase()) === expected,
  };
}

/** What is at `path` ("errors.name") in the JSON body fits `test`; `text` says it in words. */
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

/** The names in the JSON body, all of them, in any order. */
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

/** The clocks of two machines may differ by this much before it counts. */
const CLOCK_TOLERANCE_MS = 5_000;

export const timeOfRequest: Expectation = {
  text: `generatedAt in the JSON body: the time of the request (to ${CLOCK_TOLERANCE_MS / 1000} seconds)`,
  holds: (reply, { sentAt, receivedAt }) => {
    const value = valueAt(json(reply), 'generatedAt');
    const time = isString(value) ? Date.parse(value) : Number.NaN;
    return time >= sentAt - CLOCK_TOLERANCE_MS && time <= receivedAt + CLOCK_TOLERANCE_MS;
  },
};
