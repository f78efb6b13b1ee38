// Servers with one mistake each, and the rows of the contract that must fail for them.
import { decisions } from './decisions.ts';
import { GREETINGS, INFO } from './endpoints.ts';
import * as exact from './exact.ts';
import type { Part, Row, Subject } from './row.ts';
import { MAX_NAME_LENGTH as MAX } from './limits.ts';
import { specification } from './specification.ts';
import { wire } from './wire.ts';
import { right, type Behaviour } from './wrong-server.ts';

const rowsOf = (parts: readonly ((subject: Subject) => Part)[], environment: Subject['environment']): readonly Row[] =>
  parts.flatMap((part) => part({ authority: 'localhost', isSecure: false, environment }).sections).flatMap(({ rows }) => rows);

/** The rows of the specification and the decisions. */
export const ROWS = { production: rowsOf([specification, decisions], 'production'), development: rowsOf([specification, decisions], 'development') };

export const WIRE_ROWS = rowsOf([wire], 'production');

/** The sentences of the rows that expect a greeting. */
const everyGreeting = ROWS.production
  .filter(({ steps }) => steps.some(({ replies }) => replies.flat().some(({ text }) => text.startsWith('message in the JSON body: "'))))
  .map(({ says }) => says);

/** The sentences of the rows for the values that the description lists. They ask for nothing else, so they greet the world. */
const everyListedValue = ROWS.production.flatMap(({ says }) => (says.includes(', which the description lists for ') ? [says] : []));

/** The sentences of the rows in which a parameter is refused. */
const everyRefusal = ROWS.production
  .filter(({ steps }) => steps.some(({ replies }) => replies.flat().some(({ text }) => text === 'status 400')))
  .map(({ says }) => says);

export type Mistake = readonly [wrong: string, behaviour: Partial<Behaviour>, caught: readonly string[]];

export const mistakes: readonly Mistake[] = [
  // GET /health
  ['Healthy is in lower case', { constantBody: inHealth('healthy') }, ['the body of /health is Healthy']],
  ['Healthy is followed by a line feed', { constantBody: inHealth('Healthy\n') }, ['the body of /health is Healthy']],
  ['Healthy has the media type application/json', { edit: (reply, { path }) => (path === '/health' ? editType('text/plain', 'application/json')(reply) : reply) }, ['the media type of /health is text/plain']],
  // The greeting
  [`${MAX + 1} characters are accepted`, { maxLength: MAX + 1 }, [`a name of ${MAX + 1} characters is refused with 400`, `${MAX + 1} emoji are too many`]],
  [`${MAX} characters are too many`, { maxLength: MAX - 1 }, [
    `a name of ${MAX} characters is greeted`,
    `${MAX} emoji, of two UTF-16 units each, are ${MAX} characters`,
    'white space around a name counts',
  ]],
  ['one character is too few', { minLength: 2 }, ['a name of one character is greeted', 'NUL is a character like any other']],
  ['an empty name greets the world', { nameIn: (query) => right.nameIn(query) || null }, [
    'an empty name is refused with 400',
    'a name that is refused is never passed to the code that throws',
    'the first of several names is used, also when it is empty',
    '?name is refused',
  ]],
  ['World is in lower case', { defaultName: 'world' }, [
    'without a name the world is greeted',
    'an empty query has no name, so the world is greeted',
    'a query of something else has no name, so the world is greeted',
    'a key in another case is ignored',
    'a second question mark belongs to the key',
    'keys of the prototype are ignored',
    ...everyListedValue,
  ]],
  ['nothing is trimmed', { trim: (name) => name }, [
    'spaces around a name are trimmed',
    'a plus sign is decoded as a space',
    'white space around a name counts',
    'tabs, line feeds, no-break and wide spaces are white space',
  ]],
  ['white space within a name is trimmed', { trim: (name) => name.trim().replace(/ +/g, ' ') }, ['spaces within a name stay']],
  ['only the end is trimmed', { trim: (name) => name.trimEnd() }, [
    'spaces around a name are trimmed',
    'a plus sign is decoded as a space',
    'white space around a name counts',
    'tabs, line feeds, no-break and wide spaces are white space',
  ]],
  ['only ASCII is trimmed', { trim: (name) => name.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '') }, [
    'tabs, line feeds, no-break and wide spaces are white space',
  ]],
  ['markup is escaped', { greeting: (greeted, at) => right.greeting({ ...greeted, name: greeted.name.replaceAll('<', '&lt;') }, at) }, [
    'markup in a name stays unchanged',
    'characters that a browser sends without encoding stay unchanged',
  ]],
  ['the body is not UTF-8', { edit: (reply) => (reply.status === 200 ? { ...reply, fields: [...reply.fields, 'x: latin1'] } : reply) }, [
    'a name outside ASCII is greeted in UTF-8',
    `${MAX} emoji, of two UTF-16 units each, are ${MAX} characters`,
  ]],
  ['the exclamation mark is missing', { greeting: ({ name }, at) => ({ message: `Hello, ${name}`, generatedAt: at }) }, everyGreeting],
  ['there is no charset', { edit: editType('application/json; charset=utf-8', 'application/json') }, [
    'the media type of a greeting is application/json; charset=utf-8',
  ]],
  ['properties are in PascalCase', { greeting: ({ name }, at) => ({ Message: `Hello, ${name}!`, GeneratedAt: at }) }, [
    ...everyGreeting, 'message is a string', 'generatedAt is an ISO 8601 timestamp with the offset +00:00', 'generatedAt is the time of the request',
    'generatedAt has milliseconds', 'a greeting has message and generatedAt only',
  ]],
  ['generatedAt ends in Z', { timestamp: (now) => new Date(now).toISOString() }, [
    'generatedAt is an ISO 8601 timestamp with the offset +00:00',
    'generatedAt has milliseconds',
  ]],
  ['generatedAt is a number', { greeting: (greeted, at) => ({ ...right.greeting(greeted, at), generatedAt: Date.parse(at) }) }, [
    'generatedAt is an ISO 8601 timestamp with the offset +00:00',
    'generatedAt is the time of the request',
    'generatedAt has milliseconds',
  ]],
  ['generatedAt is an hour late', { timestamp: (now) => right.timestamp(now - 3_600_000) }, ['generatedAt is the time of the request']],
  ['generatedAt has no milliseconds', { timestamp: (now) => right.timestamp(now).replace(/\.\d+/, '') }, ['generatedAt has milliseconds']],
  ['a greeting has more members', { greeting: (greeted, at) => ({ ...right.greeting(greeted, at), language: 'en' }) }, [
    'a greeting has message and generatedAt only',
  ]],
  ['an unknown parameter is refused', { edit: (reply, { query }) => (query.startsWith('other') ? { ...reply, status: 400 } : reply) }, [
    'a query of something else has no name, so the world is greeted',
  ]],
  // The 400
  ['the media type of a 400 is application/json', { edit: (reply) => (reply.status === 400 ? editType('application/problem+json', 'application/json')(reply) : reply) }, [
    'the media type of a 400 is application/problem+json',
  ]],
  ['a name that is too long is refused with a text', { edit: (reply, { query }) => (query.length > MAX + 'name='.length && reply.status === 400 ? { status: 400, fields: ['content-type: text/plain'], body: 'Too long' } : reply) }, [
    'the media type of a 400 is application/problem+json',
    'type of a 400 points to the section of RFC 9110 on 400',
    'title of a 400 is a string that is not empty',
    'status in a 400 is the number 400',
    'errors of a 400 maps name to messages',
  ]],
  ['a refusal is 422', { edit: (reply) => (reply.status === 400 && reply.body !== '' ? { ...reply, status: 422 } : reply) }, everyRefusal],
  ['errors has another case', { problem: (errors, id) => ({ ...right.problem(errors, id), errors: { Name: ['It does not fit.'] } }) }, [
    'errors of a 400 maps name to messages',
    'errors has name only',
  ]],
  ['a message is not an array', { problem: (errors, id) => ({ ...right.problem(errors, id), errors: { name: 'It does not fit.' } }) }, [
    'errors of a 400 maps name to messages',
  ]],
  ['errors has more names', { problem: (errors, id) => ({ ...right.problem(errors, id), errors: { name: ['It does not fit.'], other: ['Nor does it.'] } }) }, [
    'errors has name only',
  ]],
  ['type is about:blank', { problem: (errors, id) => ({ ...right.problem(errors, id), type: 'about:blank' }) }, [
    'type of a 400 points to the section of RFC 9110 on 400',
    'type is https://tools.ietf.org/html/rfc9110#section-15.5.1',
  ]],
  ['type is a page elsewhere', { problem: (errors, id) => ({ ...right.problem(errors, id), type: 'https://www.rfc-editor.org/rfc/rfc9110.html#name-400-bad-request' }) }, [
    'type is https://tools.ietf.org/html/rfc9110#section-15.5.1',
  ]],
  ['title is missing', { problem: (errors, id) => ({ ...right.problem(errors, id), title: undefined }) }, [
    'title of a 400 is a string that is not empty',
    'title is "One or more validation errors occurred."',
    'a 400 has type, title, status, errors and traceId only',
  ]],
  ['title says something else', { problem: (errors, id) => ({ ...right.problem(errors, id), title: 'Bad Request' }) }, [
    'title is "One or more validation errors occurred."',
  ]],
  ['status is a string', { problem: (errors, id) => ({ ...right.problem(errors, id), status: '400' }) }, ['status in a 400 is the number 400']],
  ['a trace id repeats', { traceId: () => `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00` }, [
    'traceId, where there is one, is a string that differs on every request',
    'traceId has the trace id and the sampled flag of a valid traceparent, and another span id',
    'traceId is not sampled when the traceparent is not',
    'of a traceparent of a later version the first four fields are used',
    'of the flags of a traceparent only the sampled flag is used',
  ]],
  ['a trace id is a UUID', { traceId: () => crypto.randomUUID() }, [
    'traceId has the form of a traceparent',
    'traceId has the trace id and the sampled flag of a valid traceparent, and another span id',
    'traceId is not sampled when the traceparent is not',
    'of a traceparent of a later version the first four fields are used',
    'of the flags of a traceparent only the sampled flag is used',
  ]],
  ['there is no trace id', { problem: (errors, id) => ({ ...right.problem(errors, id), traceId: undefined }) }, [
    'traceId has the form of a traceparent',
    'traceId has the trace id and the sampled flag of a valid traceparent, and another span id',
    'traceId is not sampled when the traceparent is not',
    'of a traceparent of a later version the first four fields are used',
    'of the flags of a traceparent only the sampled flag is used',
    'a 400 has type, title, status, errors and traceId only',
  ]],
  ['a traceparent is ignored', { traceId: () => right.traceId([]) }, [
    'traceId has the trace id and the sampled flag of a valid traceparent, and another span id',
    'traceId is not sampled when the traceparent is not',
    'of a traceparent of a later version the first four fields are used',
    'of the flags of a traceparent only the sampled flag is used',
  ]],
  ['traceId is the traceparent itself', { traceId: (fields) => fields.find((line) => line.startsWith('traceparent: 00-4bf9'))?.slice(13) ?? right.traceId(fields) }, [
    'traceId has the trace id and the sampled flag of a valid traceparent, and another span id',
    'of the flags of a traceparent only the sampled flag is used',
    'two traceparents are ignored',
    'a traceparent with more after it is ignored',
    'a traceparent without flags is ignored',
    'a traceparent with a span id of zeros is ignored',
  ]],
  ['the first of two traceparents is used', { traceId: (fields) => right.traceId(fields.filter((line) => /^traceparent:/i.test(line)).slice(0, 1)) }, [
    'two traceparents are ignored',
  ]],
  // The 500
  ['the error is in the reply', { failure: (request, error) => ({ ...right.failure(request, error), detail: String(error) }) }, [
    'detail of a 500 says to contact support',
    'a 500 has no information on the exception',
  ]],
  ['the error is in the reply, in a new member', { failure: (request, error) => ({ ...right.failure(request, error), exception: String(error) }) }, [
    'a 500 has no information on the exception',
  ]],
  ['instance has the query in it', { failure: (request, error) => ({ ...right.failure(request, error), instance: `${request.path}?${request.query}` }) }, [
    'instance of a 500 is the path of the request',
  ]],
  ['an exception is 503', { edit: (reply) => (reply.status === 500 ? { ...reply, status: 503 } : reply) }, ['an exception is answered with 500']],
  ['a 500 has a type', { failure: (request, error) => ({ type: 'about:blank', ...right.failure(request, error) }) }, ['type of a 500 is absent']],
  ['the clock is read before the name is checked', { readsClockFirst: true }, ['a name that is refused is never passed to the code that throws']],
  // 404 and 405
  ['a 404 has a body', { edit: (reply) => (reply.status === 404 ? { ...reply, body: 'Not Found' } : reply) }, [
    'a 404 has no body',
    '404 has Content-Length: 0 and no Content-Type',
  ]],
  ['a 404 has a Content-Type', { edit: (reply) => (reply.status === 404 ? { ...reply, fields: ['content-type: text/plain'] } : reply) }, [
    '404 has Content-Length: 0 and no Content-Type',
  ]],
  ['/ is mapped', { edit: (reply, { path }) => (path === '/' ? { ...reply, status: 200 } : reply) }, [
    '/ is not mapped: 404, whatever the method',
  ]],
  ['a path may end in a slash', { pathOf: (path) => path.replace(/(.)\/$/, '$1') }, ['/health/ is 404', '/api/greetings/ is 404']],
  ['paths are compared in any case', { pathOf: (path) => path.toLowerCase() }, ['/Health is 404', '/HEALTH is 404', '/API/greetings is 404']],
  ['paths are decoded', { pathOf: (path) => decodeURIComponent(path) }, ['/%68ealth is 404', '/api%2Fgreetings is 404']],
  ['dots in paths are resolved', { pathOf: (path) => (path.includes('/.') ? new URL(path, 'http://a').pathname : path) }, [
    '/./health is 404',
    '/api/../health is 404',
  ]],
  ['HEAD is answered like GET', { isAllowed: (method) => method === 'GET' || method === 'HEAD' }, ['HEAD to a GET-only endpoint is 405']],
  ['OPTIONS is 204', { edit: (reply, { method }) => (method === 'OPTIONS' ? { ...reply, status: 204 } : reply) }, [
    'OPTIONS to a GET-only endpoint is 405',
  ]],
  ['POST is answered like GET', { isAllowed: (method) => method === 'GET' || method === 'POST' }, ['POST to a GET-only endpoint is 405']],
  ['a 405 has a body', { edit: (reply) => (reply.status === 405 ? { ...reply, body: 'No' } : reply) }, [
    'a 405 has no body',
    '405 has Content-Length: 0 and no Content-Type',
  ]],
  ['a 405 has no Allow', { edit: (reply) => (reply.status === 405 ? { ...reply, fields: [] } : reply) }, ['a 405 has Allow: GET']],
  ['unknown methods are 501', { isImplemented: (method) => method !== 'CONNECT' && method !== 'BREW' }, [
    'BREW is 405 on a mapped path and 404 on any other: methods are tokens, and case-sensitive',
  ]],
  ['methods are compared in any case', { isAllowed: (method) => method.toUpperCase() === 'GET' }, ['get is 405 on a mapped path and 404 on any other: methods are tokens, and case-sensitive']],
  ['CONNECT is a method like any other', { isImplemented: () => true }, ['CONNECT is 501, and ends the connection']],
  // Authentication, and fields that every reply has
  ['bad credentials are 401', { isAccepted: ({ fields }) => !fields.some((line) => line.startsWith('Authorization:')) }, [
    'credentials and tokens are ignored: a request with wrong ones is answered like any other',
  ]],
  ['a reply may be stored', { edit: withoutField('cache-control') }, ['every reply with a body has Cache-Control: no-store']],
  ['a reply may be sniffed', { edit: withoutField('x-content-type-options') }, ['every reply with a body has X-Content-Type-Options: nosniff']],
  ['the framework names itself', { edit: (reply) => ({ ...reply, fields: [...reply.fields, 'x-powered-by: Whatever'] }) }, ['no reply has X-Powered-By']],
  // The parameter `name`
  ['the last of several names is used', { nameIn: (query) => new URLSearchParams(`?${query}`).getAll('name').at(-1) ?? null }, [
    'the first of several names is used',
    'the first of several names is used, also when it is empty',
  ]],
  ['keys are compared in any case', { nameIn: (query) => right.nameIn(query.replace(/(^|&)name(=|&|$)/gi, '$1name$2')) }, [
    'keys are case-sensitive',
    'a key in another case is ignored',
  ]],
  ['a plus stays a plus', { nameIn: (query) => right.nameIn(query.replaceAll('+', '%2B')) }, ['a plus sign is decoded as a space', 'white space around a name counts']],
  ['a semicolon separates', { nameIn: (query) => right.nameIn(query.replaceAll(';', '&')) }, ['a semicolon does not separate']],
  ['a name without an equals sign is ignored', { nameIn: (query) => (query === 'name' ? null : right.nameIn(query)) }, ['?name is refused']],
  ['a malformed percent is refused', { nameIn: (query) => (/%(?![\da-f]{2})/i.test(query) ? '' : right.nameIn(query)) }, [
    'a percent sign without two hex digits stays unchanged',
    'a percent sign with one hex digit stays unchanged',
  ]],
  ['a character is a UTF-16 unit', { lengthOf: (name) => name.length }, [`${MAX} emoji, of two UTF-16 units each, are ${MAX} characters`]],
  ['a character is a byte of UTF-8', { lengthOf: (name) => Buffer.byteLength(name) }, [`${MAX} emoji, of two UTF-16 units each, are ${MAX} characters`]],
  ['a name is counted after it was trimmed', { lengthOf: (name) => Array.from(name.trim()).length }, [
    'a name that is too long with the white space around it is too long',
  ]],
  ['white space is greeted', { isBlank: () => false }, ['a name of one space', `a name of ${MAX} spaces`, 'a name of a tab and a no-break space']],
  // The description
  ['there is a description in Production', { isDescribed: () => true }, ['outside Development the description does not exist: 404, whatever the method']],
];

const SHAPE = `the description of GET ${GREETINGS} has the parameters, replies and schemas of this service`;

export const mistakesInDevelopment: readonly Mistake[] = [
  ['there is no description', { isDescribed: () => false }, [
    'in Development the description is there',
    'HEAD to the description is 405',
    'OPTIONS to the description is 405',
    'POST to the description is 405',
    'PUT to the description is 405',
    'PATCH to the description is 405',
    'DELETE to the description is 405',
    'TRACE to the description is 405',
  ]],
  ['the description is YAML', { edit: (reply, { path }) => (path.startsWith('/openapi') ? editType('application/json', 'application/yaml')(reply) : reply) }, [
    'the media type of the description is application/json',
  ]],
  ['the description is of version 2', { document: { ...right.document, openapi: undefined, swagger: '2.0' } }, [
    'the description is an OpenAPI 3 document',
    'the description is OpenAPI 3.1',
  ]],
  ['the description is of version 3.0', { document: { ...right.document, openapi: '3.0.4' } }, ['the description is OpenAPI 3.1']],
  ['health is described', { document: edited(`"${GREETINGS}":`, `"/health":{"get":{}},"${GREETINGS}":`) }, [
    'the description is of GET of the endpoints that it must have and nothing else',
  ]],
  ['another method is described', { document: edited(`"${GREETINGS}":{`, `"${GREETINGS}":{"post":{},`) }, [
    'the description is of GET of the endpoints that it must have and nothing else',
  ]],
  ...([
    ['the name is described with another limit', `"maxLength":${MAX}`, `"maxLength":${MAX + 1}`],
    ['the name is described as required', '"required":false', '"required":true'],
    ['another parameter is described', '"parameters":[{"name":"name"', '"parameters":[{"name":"other","in":"query","schema":{}},{"name":"name"'],
    ['the parameter is not described', '"parameters":', '"wrong":'],
    ['another status is described', '"responses":{', '"responses":{"422":{"content":{}},'],
    ['the 500 is not described', '"500":', '"wrong":'],
    ['a 400 is described with another media type', '"application/problem+json":', '"application/xml":'],
    ['a greeting is described with a member that need not be there', '"required":["message","generatedAt"]', '"required":["message"]'],
    ['a greeting is described with members of any name', '"additionalProperties":false', '"additionalProperties":true'],
    ['errors is described with a list that may be empty', '"minItems":1,', ''],
    ['a time stamp is described without its format', '"format":"date-time",', ''],
  ] as const).map(([wrong, from, to]): Mistake => [wrong, { document: edited(from, to) }, [SHAPE]]),
  ['a security scheme is described', { document: edited('"components":{', '"components":{"securitySchemes":{"key":{"type":"http","scheme":"basic"}},') }, [
    'the description has no security scheme',
  ]],
  ['servers are described', { document: { ...right.document, servers: [{ url: 'http://localhost' }] } }, ['the description names no servers']],
  ['the title is another', { document: { ...right.document, info: { ...INFO, title: 'Greetings' } } }, [
    'the description has the title and the version',
  ]],
  ['a greeting violates its schema', { greeting: (greeted, at) => ({ ...right.greeting(greeted, at), generatedAt: Date.parse(at) }) }, [
    'generatedAt is an ISO 8601 timestamp with the offset +00:00',
    'generatedAt is the time of the request',
    'every reply to GET /api/greetings in this run fits its schema in the description',
    'generatedAt has milliseconds',
  ]],
  ['a 400 violates its schema', { problem: (errors, id) => ({ ...right.problem(errors, id), errors: undefined }) }, [
    'errors of a 400 maps name to messages',
    'every reply to GET /api/greetings in this run fits its schema in the description',
    'a 400 has type, title, status, errors and traceId only',
    'errors has name only',
  ]],
];

/** The correct description with the first `from` in its JSON replaced. */
function edited(from: string, to: string): object {
  const text = JSON.stringify(right.document);
  if (!text.includes(from)) throw new Error(`The description has no ${from}`);
  return JSON.parse(text.replace(from, () => to));
}

function inHealth(wrong: string): Behaviour['constantBody'] {
  return ({ path, body }) => (path === '/health' ? wrong : body);
}

function editType(from: string, to: string): (reply: Parameters<Behaviour['edit']>[0]) => ReturnType<Behaviour['edit']> {
  return (reply) => ({ ...reply, fields: reply.fields.map((line) => (line === `content-type: ${from}` ? `content-type: ${to}` : line)) });
}

function withoutField(name: string): Behaviour['edit'] {
  return (reply) => ({ ...reply, fields: reply.fields.filter((line) => !line.startsWith(`${name}:`)) });
}

/** Changes the bytes of a request before this project's service receives them, or the bytes of its reply. */
export type WrongWire = { readonly request?: (bytes: string) => string; readonly reply?: (bytes: string) => string };

export const wrongWires: readonly (readonly [wrong: string, wire: WrongWire, caught: readonly string[]])[] = [
  ['the first of two Hosts is used', { request: inFirstHead((head) => head.replace(/(\r\nhost: [^]*)\r\nhost: [^\r]*/i, '$1')) }, [
    'two Hosts, the same',
    'two Hosts, different',
    'two Hosts, far apart',
    'two Hosts in HTTP/1.0',
    'CONNECT with two Hosts',
  ]],
  ['a line may end in a bare line feed', { request: (bytes) => bytes.replace(/\r?\n/g, '\r\n') }, [
    'LF behind a size',
    'LF behind an extension',
    'LF behind data',
    'LF behind the last size',
    'LF behind a trailer',
    'LF behind the trailers',
    'LF CR behind the trailers',
    'lines that end in a bare line feed',
  ]],
  ['Transfer-Encoding overrides Content-Length', { request: inFirstHead((head) => (head.includes('Transfer-Encoding: chunked') ? head.replace(/Content-Length: .*\r\n/, '') : head)) }, [
    'both framings',
    'both framings the other way round',
  ]],
  ['user information is ignored', { request: (bytes) => bytes.replace('http://user@', 'http://') }, [
    'absolute-form with user information',
  ]],
  ['a target with https is one with http', { request: (bytes) => bytes.replace('https://', 'http://') }, [
    'absolute-form with https, where no TLS is (RFC 9110 7.4)',
  ]],
  ['a request with Upgrade is the last one', { request: inFirstHead((head) => head.replace('\r\nUpgrade:', '\r\nConnection: close$&')) }, [
    "Upgrade (RFC 9110 7.8), as Java's HttpClient and curl --http2 send it",
    'Upgrade with content, which is read by its framing (RFC 9112 6.3)',
    'Upgrade with chunks',
    'Upgrade in HTTP/1.0',
  ]],
  ['a fragment is cut off', { request: (bytes) => bytes.replace(/^(\S+ [^\s#]*)#\S*/, '$1') }, [
    'a fragment',
    'a fragment in the query',
    'absolute-form with a fragment',
  ]],
  ['too much content is 400', { reply: (bytes) => bytes.replaceAll(' 413 ', ' 400 ') }, [
    'a byte more than 64 KiB declared',
    'a byte more than 64 KiB, all sent',
    'a byte more than 64 KiB in chunks',
    'a length that no number can hold',
    'a chunk of 4 GiB',
    'too much content after another request',
    '100-continue for too much content',
  ]],
  ['the connection stays open after a 417', { reply: (bytes) => (bytes.startsWith('HTTP/1.1 417 ') ? bytes + exact.greeting('Hello, World!') : bytes) }, [
    'another expectation',
    '100-continue and another',
    'two expectations',
    'an empty expectation',
  ]],
  ['a 404 ends the connection', { reply: (bytes) => bytes.replace(/(HTTP\/1.1 404 [^]*?\r\n\r\n)[^]*/, '$1') }, [
    'every character of a path',
    'absolute-form without a path, which is the root',
    'absolute-form with a query only',
    'asterisk-form with OPTIONS',
    'content to no path',
    'pipelined requests (9.3.2)',
    'content between others',
    'BREW on another path',
    'DESCRIBE on another path, after content',
    'BREW after other requests',
  ]],
];

function inFirstHead(edit: (head: string) => string): (bytes: string) => string {
  return (bytes) => bytes.replace(/^[^]*?\r\n\r\n/, edit);
}
