// A second, very small implementation of the specification and the decisions: one function from the bytes of a request
// to the bytes of its reply. Each part of its behaviour can be replaced by a wrong one, to test whether the contract
// detects that. It does not check requests for errors.
import { CONSTANT_ENDPOINTS, DESCRIBED, DESCRIPTION, GREETINGS, INFO, type ConstantEndpoint } from './endpoints.ts';
import { MAX_NAME_LENGTH, MIN_NAME_LENGTH } from './limits.ts';
import { readReplies } from './reply.ts';
import { EXCEPTION_TEXT } from './specification.ts';
import { isHead, type Talker } from './talk.ts';

type Reply = { readonly status: number; readonly fields: readonly string[]; readonly body: string };
type Request = { readonly method: string; readonly path: string; readonly query: string; readonly fields: readonly string[] };

/** Who is greeted. */
type Greeted = { readonly name: string };
/** For each parameter that breaks a rule, what is wrong with it. */
type Errors = Record<string, readonly string[]>;

const PARENT = /^traceparent: (?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/i;

// Each schema is a component with a name of its own, as frameworks generate them, and everything has other words.
const schemas: Record<string, object> = {};

const describedPaths = Object.fromEntries(Object.entries(DESCRIBED).map(([path, { parameters, replies }]) => [path, {
  get: {
    summary: `GET ${path}`,
    parameters: parameters.map((parameter) => ({ ...parameter, description: 'Optional.' })),
    responses: Object.fromEntries(Object.entries(replies).map(([status, contents]) => [status, {
      description: `A ${status}.`,
      content: Object.fromEntries(Object.entries(contents).map(([type, schema]) => [type, { schema: { $ref: component(`${path} ${status}`, schema) } }])),
    }])),
  },
}]));

function component(name: string, schema: object): string {
  schemas[name] = { ...schema, description: name };
  return `#/components/schemas/${name.replaceAll('/', '~1')}`;
}

/** The correct behaviour, in parts that can be replaced. */
export const right = {
  pathOf: (path: string) => path,
  isAllowed: (method: string): boolean => method === 'GET',
  isImplemented: (method: string): boolean => method !== 'CONNECT',
  isAccepted: (_request: Request) => true,
  isDescribed: (development: boolean) => development,
  constantBody: ({ body }: ConstantEndpoint) => body,
  nameIn: (query: string): string | null => new URLSearchParams(`?${query}`).get('name'),
  defaultName: 'World',
  lengthOf: (name: string) => Array.from(name).length,
  minLength: MIN_NAME_LENGTH,
  maxLength: MAX_NAME_LENGTH,
  trim: (name: string) => name.trim(),
  isBlank: (name: string) => name.trim() === '',
  /** Whether the clock is read before the name is checked. */
  readsClockFirst: false,
  timestamp: (now: number) => new Date(now).toISOString().replace('Z', '+00:00'),
  greeting: ({ name }: Greeted, generatedAt: string): object => ({ message: `Hello, ${name}!`, generatedAt }),
  traceId: (fields: readonly string[]) => {
    const parents = fields.filter((line) => /^traceparent:/i.test(line));
    const [, version, trace, flags = '0', more] = PARENT.exec(parents.length === 1 ? parents.join() : '') ?? [];
    const isLegal = trace !== undefined && trace === trace.toLowerCase() && !(version === '00' && more !== undefined);
    return `00-${isLegal ? trace : randomHex(32)}-${randomHex(16)}-0${isLegal ? Number.parseInt(flags, 16) & 1 : 0}`;
  },
  problem: (errors: Errors, traceId: string): object => ({
    type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
    title: 'One or more validation errors occurred.', status: 400, errors, traceId,
  }),
  failure: ({ path }: Request, _error: unknown): object => ({
    title: 'An unexpected error occurred.', status: 500, detail: 'Contact support if the problem persists.', instance: path,
  }),
  document: {
    openapi: '3.1.1',
    info: INFO,
    security: [],
    paths: describedPaths,
    components: { schemas },
  } as object,
  /** Changes every reply before it is sent. */
  edit: (reply: Reply, _request: Request): Reply => reply,
};

export type Behaviour = typeof right;

export type Conditions = { readonly development?: boolean; readonly now?: () => number };

/** A server with this behaviour, without a network. It answers one request on each connection, and closes it. */
export function serve(behaviour: Behaviour, conditions: Conditions = {}): Talker {
  return async (bytes) => {
    const sentAt = Date.now();
    const received = answer(Buffer.from(bytes, 'latin1'), behaviour, conditions);
    return { ...readReplies(received, true, isHead(bytes)), bytes: received, end: 'closed', error: undefined, sentAt, receivedAt: Date.now() };
  };
}

/** The reply to one whole request. */
export function answer(bytes: Buffer, behaviour: Behaviour, conditions: Conditions = {}): Buffer {
  const [requestLine = '', ...fields] = bytes.toString('latin1').split('\r\n').slice(0, -2);
  const [method = '', target = ''] = requestLine.split(' ');
  const [path = '', ...query] = target.split('?');
  const request = { method, path, query: query.join('?'), fields };
  const { status, fields: more, body } = behaviour.edit(reply(request, behaviour, conditions), request);
  const content = Buffer.from(body, more.some((line) => line.includes('latin1')) ? 'latin1' : 'utf8');
  const head = [`HTTP/1.1 ${status} Whatever`, ...more, `content-length: ${content.length}`, 'connection: close', '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), method === 'HEAD' ? Buffer.alloc(0) : content]);
}

const none = (status: number, ...fields: readonly string[]): Reply => ({ status, fields, body: '' });

function some(status: number, type: string, body: string): Reply {
  return { status, fields: [`content-type: ${type}`, 'cache-control: no-store', 'x-content-type-options: nosniff'], body };
}

function reply(request: Request, is: Behaviour, { development = false, now = Date.now }: Conditions): Reply {
  if (!request.fields.some((line) => line.startsWith('Host: '))) return none(400);
  if (!is.isAccepted(request)) return none(401);
  if (!is.isImplemented(request.method)) return none(501);
  const path = is.pathOf(request.path);
  const constant = CONSTANT_ENDPOINTS.find((endpoint) => endpoint.path === path);
  const isMapped = constant !== undefined || path === GREETINGS || (path === DESCRIPTION && is.isDescribed(development));
  if (!isMapped) return none(404);
  if (!is.isAllowed(request.method)) return none(405, 'allow: GET');
  if (constant !== undefined) return some(200, constant.mediaType, is.constantBody(constant));
  if (path === DESCRIPTION) return some(200, 'application/json', JSON.stringify(is.document));
  try {
    return greet(request, is, now);
  } catch (error) {
    return some(500, 'application/problem+json', JSON.stringify(is.failure(request, error)));
  }
}

function greet(request: Request, is: Behaviour, now: () => number): Reply {
  if (is.readsClockFirst) now();
  const name = is.nameIn(request.query) ?? is.defaultName;
  const length = is.lengthOf(name);
  const errors: Errors = {};
  if (length < is.minLength || length > is.maxLength || is.isBlank(name)) errors['name'] = ['It does not fit.'];
  if (Object.keys(errors).length > 0) {
    return some(400, 'application/problem+json', JSON.stringify(is.problem(errors, is.traceId(request.fields))));
  }
  return some(200, 'application/json; charset=utf-8', JSON.stringify(is.greeting({ name: is.trim(name) }, is.timestamp(now()))));
}

/** A clock for the rows that need an exception. */
export function throwingClock(): number {
  throw new Error(EXCEPTION_TEXT);
}

function randomHex(digits: number): string {
  return Array.from({ length: digits }, () => Math.floor(Math.random() * 15 + 1).toString(16)).join('');
}
