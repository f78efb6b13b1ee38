// What can be expected of a reply. Everything that the specification leaves open is accepted: any order and case of
// field names, further fields, any framing, and any notation of the same JSON value.
import { isDeepStrictEqual } from 'node:util';
import { field, type Reply } from '../../support/replies.ts';

/** When the request was sent and when the reply had arrived, in milliseconds since the epoch. */
export type Times = { readonly sentAt: number; readonly receivedAt: number };

export type Edit = (reply: Reply) => Reply;

export type Expectation = {
  /** The expectation in words, for a report, such as "status 200". */
  readonly text: string;
  readonly holds: (reply: Reply, times: Times) => boolean;
  /** Mistakes that it must find: each makes a wrong reply of a right one. The tests of the contract try each of them in each row. */
  readonly mistakes: readonly Edit[];
};

/** The content as a JSON value; undefined when it is not JSON. */
export function json({ body: text }: Reply): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function status(expected: number): Expectation {
  return { text: `status ${expected}`, holds: (reply) => reply.status === expected, mistakes: [(reply) => ({ ...reply, status: expected === 200 ? 204 : 200 })] };
}

const withField = (name: string, value?: string): Edit => (reply) => ({
  ...reply, headers: [...reply.headers.filter((line) => !line.toLowerCase().startsWith(`${name}:`)), ...(value === undefined ? [] : [`${name}: ${value}`])],
});

/** The Content-Type. It must have the parameters in `expected`, and may have others. */
export function mediaType(expected: string): Expectation {
  const [type = '', ...parameters] = mediaTypeParts(expected);
  return {
    text: `Content-Type ${expected}`,
    holds: (reply) => {
      const [sentType, ...sentParameters] = mediaTypeParts(field(reply, 'content-type') ?? '');
      return sentType === type && parameters.every((parameter) => sentParameters.includes(parameter));
    },
    mistakes: ['text/html', ...(parameters.length > 0 ? [type] : []), undefined].map((wrong) => withField('content-type', wrong)),
  };
}

// RFC 9110 8.3.1: types, names of parameters and the value of charset are case-insensitive; a value may be quoted.
function mediaTypeParts(text: string): string[] {
  return text.toLowerCase().split(';').map((part) => part.trim().replace(/="(.*)"$/, '=$1'));
}

/** The content is this text, as UTF-8. */
export function body(expected: string): Expectation {
  return {
    text: expected === '' ? 'no body' : `the body ${JSON.stringify(expected)}`,
    holds: (reply) => reply.body === expected,
    mistakes: [`${expected}\n`, ...(expected === '' ? [] : ['', expected.slice(1)])].map((wrong) => (reply) => ({ ...reply, body: wrong })),
  };
}

export const noBody = body('');

/** The field has this value; undefined: there is no such field. */
export function fieldIs(name: string, expected: string | undefined): Expectation {
  const key = name.toLowerCase();
  return {
    text: expected === undefined ? `no field ${name}` : `${name}: ${expected}`,
    holds: (reply) => field(reply, key) === expected,
    mistakes: [withField(key, 'other'), ...(expected === undefined ? [] : [withField(key)])],
  };
}

/**
 * The value at `path` (such as "errors.name") in the JSON body passes `test`; `text` describes the test. It must not pass with any of the
 * values in `wrong`; undefined: there is none.
 */
export function member(path: string, text: string, test: (value: unknown) => boolean, ...wrong: readonly unknown[]): Expectation {
  return {
    text: `${path} in the JSON body: ${text}`,
    holds: (reply) => test(valueAt(json(reply), path)),
    mistakes: wrong.map((value) => (reply) => ({ ...reply, body: JSON.stringify(withValue(json(reply), path.split('.'), value)) })),
  };
}

/** The value at `path` is a string that this pattern matches. */
export function matches(path: string, text: string, pattern: RegExp, ...wrong: readonly unknown[]): Expectation {
  return member(path, text, (value) => isString(value) && pattern.test(value), ...wrong);
}

function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined), value);
}

function withValue(inside: unknown, [name, ...names]: readonly string[], value: unknown): unknown {
  return name === undefined ? value : { ...Object(inside), [name]: withValue(Object(inside)[name], names, value) };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function memberIs(path: string, expected: unknown): Expectation {
  const wrong = expected === undefined ? ['other'] : [undefined, `${String(expected)} `];
  return member(path, JSON.stringify(expected) ?? 'absent', (value) => isDeepStrictEqual(value, expected), ...wrong);
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
    mistakes: [names.slice(1), [...names, 'other']].map((wrong) => (reply) => ({ ...reply, body: JSON.stringify(Object.fromEntries(wrong.map((name) => [name, '']))) })),
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
  mistakes: [6_000, -6_000].map((ms) => (reply) => ({ ...reply, body: reply.body.replace(/"generatedAt":"([^"]+)"/, (_, at: string) => `"generatedAt":"${new Date(Date.parse(at) + ms).toISOString()}"`) })),
};
