// A row of the contract: what is sent, and what must come back, as data; and how a server is held to it.
import { inspect, isDeepStrictEqual } from 'node:util';
import { field, type Reply } from '../../support/replies.ts';
import type { Talk, Talker } from './server.ts';

// Nothing is imported from `src` on purpose: what a server must do is not taken from one.
export const DESCRIPTION = '/openapi/v1.json';

/** What must be true of a reply. What is not named here may be anything. */
export type Expected = {
  readonly status?: number;
  readonly type?: string; // Content-Type, which may have more parameters
  readonly fields?: Readonly<Record<string, string | undefined>>; // undefined: there must be no such field
  readonly body?: string | RegExp;
  readonly members?: readonly string[]; // of the JSON, and no others
  readonly json?: Readonly<Record<string, Value>>; // by paths such as errors.name
};
/** What must be at a place in the JSON: this, or a string with a pattern, or anything for which a function is true. */
type Value = string | number | readonly unknown[] | undefined | RegExp | ((value: unknown) => boolean);
/** What is sent on a connection of its own, one character for each byte, and what must come back on it. */
type Step = { readonly send: string; readonly replies: readonly Expected[] };

export type Row = {
  readonly says: string;
  readonly steps: readonly Step[];
  readonly ends?: boolean; // after the last reply the server must close the connection, and send nothing more
  readonly needs?: 'an exception' | 'any host' | 'no TLS' | undefined; // in the server
};

/** The rows of each section of a document, by its heading. */
export type Sections = Readonly<Record<string, readonly Row[]>>;

/** Which server the rows are for. `authority` is the value of Host. */
export type Subject = { readonly authority: string; readonly environment: 'development' | 'production' };

export const words = (text: string) => text.trim().split(/\s+/);
export const head = (...lines: readonly string[]) => [...lines, '', ''].join('\r\n');
export const row = (says: string, ...steps: readonly Step[]): Row => ({ says, steps });

/** The value at this place in a JSON value; undefined: there is none. */
export function inside(value: unknown, ...names: readonly string[]): unknown {
  let inner = value;
  for (const name of names) inner = Object.getOwnPropertyDescriptor(Object(inner), name)?.value;
  return inner;
}

/** Expected of each reply with a body: it is not to be stored or sniffed, and names no software. */
export const WITH_BODY: Expected =
  { fields: { Server: undefined, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } };

/** Makes steps and rows with one request, such as `GET /health`, after which the connection is closed. */
export function asking(authority: string) {
  const ask = (request: string, expected: Expected, ...fields: readonly string[]): Step => ({
    send: head(`${request} HTTP/1.1`, `Host: ${authority}`, ...fields, 'Connection: close'),
    replies: [expected],
  });
  return {
    ask,
    /** A row for a path that is not mapped, whatever the method. */
    unmapped: (path: string) =>
      row(path, ...['GET', 'POST'].map((method) => ask(`${method} ${path}?name=A`, { status: 404, body: '' }))),
  };
}

// RFC 9110 8.3.1: types, names of parameters and the value of charset are case-insensitive; a value may be quoted.
const partsOf = (type = '') => type.toLowerCase().split(';').map((part) => part.trim().replace(/="(.*)"$/, '=$1'));

function isAs(value: unknown, expected: Value): boolean {
  if (typeof expected === 'function') return expected(value);
  if (expected instanceof RegExp) return typeof value === 'string' && expected.test(value);
  return isDeepStrictEqual(value, expected);
}

/** What is not as expected, in words. */
export function unmet(expected: Expected, reply: Reply): string[] {
  const { status, type, fields = {}, body, members, json = {} } = expected;
  let parsed: unknown;
  try {
    parsed = JSON.parse(reply.body);
  } catch {} // it is undefined
  const types = partsOf(field(reply, 'Content-Type'));
  const wrong: string[] = [];
  const must = (text: string, isSo: boolean) => void (isSo || wrong.push(text));
  must(`status ${status}`, status === undefined || reply.status === status);
  must(`Content-Type: ${type}`, type === undefined || partsOf(type).every((part) => types.includes(part)));
  must(body === '' ? 'no body' : `the body ${body}`, body === undefined || isAs(reply.body, body));
  must(`the members ${members}`, members === undefined || isAs(Object.keys(Object(parsed)).sort(), members.toSorted()));
  for (const [name, value] of Object.entries(fields)) must(`${name}: ${value}`, field(reply, name) === value);
  for (const [path, value] of Object.entries(json)) {
    const shown = typeof value === 'function' ? value.name : inspect(value);
    must(`${path}: ${shown}`, isAs(inside(parsed, ...path.split('.')), value));
  }
  return wrong;
}

/** What was sent when a server differed from a row, what is not as expected, and what came back. */
export type Difference = { readonly send: string; readonly expected: readonly string[]; readonly talk: Talk };
const NO_REPLY: Reply = { statusLine: '', status: 0, headers: [], body: '' };

/** Checks the server that `talk` talks to, up to the first step in which it differs. */
export async function hold({ steps, ends = false }: Row, talk: Talker): Promise<'holds' | Difference> {
  for (const { send, replies } of steps) {
    const talked = await talk(send);
    const { replies: came, rest, end } = talked;
    const expected = replies.flatMap((one, i) => unmet(one, came[i] ?? NO_REPLY));
    if (came.length < replies.length) expected.push(`${replies.length} whole replies`);
    if (ends && (came.length > replies.length || rest.length > 0)) expected.push('nothing after the last reply');
    if (ends && end === 'late') expected.push('the connection is closed');
    if (expected.length > 0) return { send, expected, talk: talked };
  }
  return 'holds';
}

/** A difference in words and bytes, for a person. */
export function describe({ send, expected, talk: { bytes, end, error = end } }: Difference): string {
  // The first lines as Node shows strings: control characters are escaped, and a long line is cut.
  const shown = (text: string) =>
    text.split('\r\n', 24).map((line) => inspect(line, { maxStringLength: 300, breakLength: Infinity }));
  const received = [...shown(bytes.toString('latin1')), `(the end of the connection: ${error})`];
  return Object.entries({ sent: shown(send), expected, received })
    .flatMap(([what, lines]) => [`  ${what}`, ...lines.map((line) => `    ${line}`)]).join('\n');
}
