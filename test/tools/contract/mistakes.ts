// Wrong servers: this project's service, with a mistake in how it reads requests, or in its description. Each is found by the rows that
// are there because of it. Mistakes in replies are beside the expectations that find them, in expectation.ts.
import { field, repliesIn } from '../../support/replies.ts';
import { GREETINGS, MAX_NAME_LENGTH as MAX } from './endpoints.ts';
import { isHead, type Talker } from './talk.ts';

/** What is changed: the bytes of a request before the service gets them, or those of its replies. */
export type Wrong = { readonly request?: (bytes: string) => string; readonly reply?: (bytes: string) => string };

/** A talker to a server with this mistake. */
export function wrongly(talk: Talker, { request, reply }: Wrong): Talker {
  return async (bytes, enough) => {
    const talked = await talk(request?.(bytes) ?? bytes, enough);
    const replied = reply === undefined ? talked.bytes : Buffer.from(reply(talked.bytes.toString('latin1')), 'latin1');
    return { ...talked, ...repliesIn(replied, { ended: true, toHead: isHead(bytes) }), bytes: replied };
  };
}

const request = (from: RegExp | string, to: string | ((found: string) => string)): Wrong => ({ request: (bytes) => bytes.replace(from, typeof to === 'string' ? () => to : to) });
const target = (change: (target: string) => string) => request(/(?<=^\S+ )\S+/, change);
const query = (change: (query: string) => string) => target((text) => text.replace(/(?<=\?).*/s, change));
const reply = (from: RegExp, to: string): Wrong => ({ reply: (bytes) => bytes.replace(from, to) });
const inFirstHead = (change: (head: string) => string) => request(/^[^]*?\r\n\r\n/, change);

export const mistakes: readonly (readonly [mistake: string, wrong: Wrong, rows: readonly string[]])[] = [
  // The query
  [`${MAX + 1} characters are accepted`, query((text) => text.replace('a'.repeat(MAX + 1), 'a')), [`a name of ${MAX + 1} characters is refused with 400`]],
  ['an empty name greets the world', query((text) => text.replace(/^name=(?=&|$)/, '')), ['an empty name is refused with 400', 'the first of several names is used, also when it is empty']],
  ['an unknown parameter is refused', query((text) => text.replace(/^other=.*/, 'name=')), ['a query of something else has no name, so the world is greeted']],
  ['an empty query is refused', target((text) => text.replace(/\?$/, '?name=')), ['an empty query has no name, so the world is greeted']],
  ['spaces within a name become one', query((text) => text.replace('%20%20L', '%20L')), ['spaces within a name stay']],
  ['only ASCII is trimmed', query((text) => text.replaceAll('%C2%A0', '%C2%B7')), ['tabs, line feeds, no-break and wide spaces are white space', 'a name of a tab and a no-break space']],
  ['the last of several names is used', query((text) => text.split('&').reverse().join('&')), ['the first of several names is used']],
  ['keys are compared in any case', query((text) => text.replace(/\bname=/gi, 'name=')), ['keys are case-sensitive', 'a key in another case is ignored']],
  ['keys are not decoded', query((text) => text.replace('%61', '%2561')), ['an encoded key is the key']],
  ['all question marks are skipped', query((text) => text.replace(/^\?/, '')), ['a second question mark belongs to the key']],
  ['a value ends at an equals sign', query((text) => text.replace(/(?<==.*)=.*/, '')), ['an equals sign belongs to the value']],
  ['a plus stays a plus', query((text) => text.replaceAll('+', '%2B')), ['a plus sign is decoded as a space']],
  ['a semicolon separates', query((text) => text.replaceAll(';', '&')), ['a semicolon does not separate']],
  ['a name without an equals sign is ignored', query((text) => text.replace(/^name$/, '')), ['?name is refused']],
  ['keys of the prototype are names', query((text) => text.replace('__proto__', 'name')), ['keys of the prototype are ignored']],
  ['invalid UTF-8 is refused', query((text) => text.replace(/^name=%FF.*/, 'name=')), ['invalid UTF-8 becomes U+FFFD']],
  ['a malformed percent is refused', query((text) => text.replace(/^name=.*%(?![\da-f]{2}).*/i, 'name=')), ['a percent sign without two hex digits stays unchanged', 'a percent sign with one hex digit stays unchanged']],
  ['NUL is refused', query((text) => text.replace('%00', '')), ['NUL is a character like any other']],
  ['a character is a UTF-16 unit', query((text) => text.replace(/^name=(%F0%9F%98%80){41,}$/, 'name=')), [`${MAX} emoji, of two UTF-16 units each, are ${MAX} characters`]],
  ['an emoji is half a character', query((text) => text.replaceAll('%F0%9F%98%80', 'a').slice(0, MAX)), [`${MAX + 1} emoji are too many`]],
  ['a name is counted after it was trimmed', query((text) => text.replace(/\+(a+)\+/, '$1').replace(/\+a+\+/, (found) => found.slice(1, -1))), ['a name that is too long with the white space around it is too long']],
  ['white space is greeted', query((text) => text.replace(/^name=(?:%20)+$/, 'name=a')), ['a name of one space', `a name of ${MAX} spaces`]],
  // Paths and methods
  ['/ is mapped', target((text) => text.replace(/^\/(?=\?)/, '/health')), ['/ is not mapped: 404, whatever the method']],
  ['a path may end in a slash', target((text) => text.replace(/(?<=\w)\/(?=\?)/, '')), ['/health/ is 404', '/api/greetings/ is 404']],
  ['paths are compared in any case', target((text) => text.replace(/^[^?]*/, (path) => path.toLowerCase())), ['/Health is 404', '/HEALTH is 404', '/API/greetings is 404']],
  ['paths are decoded', target((text) => text.replace(/%68/, 'h').replace(/%2F(?=g)/, '/')), ['/%68ealth is 404', '/api%2Fgreetings is 404']],
  ['dots in paths are resolved', target((text) => text.replace(/^\/(?:api\/\.)?\.\//, '/')), ['/./health is 404', '/api/../health is 404']],
  ['slashes are merged', target((text) => text.replace(/\/\/|\/(?=\?)/, (found) => found.slice(1))), ['//health is 404']],
  ['there is a description in Production', target((text) => text.replace('/openapi/v1.json', '/health')), ['outside Development the description does not exist: 404, whatever the method']],
  ...['HEAD', 'POST', 'OPTIONS'].map((method) => [`${method} is answered like GET`, request(new RegExp(`^${method}(?= /(?!n))`), 'GET'), [`${method} to a GET-only endpoint is 405`]] as const),
  ['methods are compared in any case', request(/^get/, 'GET'), ['get is 405 on a mapped path and 404 on any other: methods are tokens, and case-sensitive']],
  ['unknown methods are 501', request(/^BREW \S+/, 'CONNECT a:80'), ['BREW is 405 on a mapped path and 404 on any other: methods are tokens, and case-sensitive']],
  ['CONNECT is a method like any other', request(/^CONNECT .*/, 'BREW /nope HTTP/1.1\r\nConnection: close'), ['CONNECT is 501, and ends the connection']],
  ['bad credentials are refused', request(/^.*(?=[^]*Authorization:)/, 'GET /nope HTTP/1.1'), ['credentials and tokens are ignored: a request with wrong ones is answered like any other']],
  ['the clock is read before the name is checked', query(() => ''), ['a name that is refused is never passed to the code that throws']],
  // The traceparent
  ['a traceparent is ignored', request(/^traceparent/gim, 'x'), [
    'traceId has the trace id and the sampled flag of a valid traceparent, and another span id', 'traceId is not sampled when the traceparent is not',
    'of a traceparent of a later version the first four fields are used', 'of the flags of a traceparent only the sampled flag is used',
  ]],
  ['the first of two traceparents is used', request(/(\r\ntraceparent: .*)\1/, (found) => found.slice(found.length / 2)), ['two traceparents are ignored']],
  ['a traceparent is repaired', request(/^traceparent: .*/im, 'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'), [
    'with upper-case digits', 'with more after it', 'of version ff', 'without flags', 'with a span id of zeros',
  ].map((what) => `a traceparent ${what} is ignored`)],
  // The wire
  ['the first of two Hosts is used', inFirstHead((head) => head.replace(/(\r\nhost: [^]*)\r\nhost: [^\r]*/i, '$1')), ['two Hosts, the same', 'two Hosts, different', 'two Hosts, far apart', 'two Hosts in HTTP/1.0', 'CONNECT with two Hosts']],
  ['a line may end in a bare line feed', request(/\r?\n/g, '\r\n'), ['LF behind a size', 'LF behind a trailer', 'LF behind the trailers', 'lines that end in a bare line feed']],
  ['Transfer-Encoding overrides Content-Length', inFirstHead((head) => (head.includes('Transfer-Encoding: chunked') ? head.replace(/Content-Length: .*\r\n/, '') : head)), ['both framings', 'both framings the other way round']],
  ['user information is ignored', request('http://user@', 'http://'), ['absolute-form with user information']],
  ['a fragment is cut off', request(/(?<=^\S+ [^\s#]*)#\S*/, ''), ['a fragment', 'a fragment in the query', 'absolute-form with a fragment']],
  ['a target with https is one with http', request('https://', 'http://'), ['absolute-form with https, where no TLS is (RFC 9110 7.4)']],
  ['a request with Upgrade is the last one', inFirstHead((head) => head.replace('\r\nUpgrade:', '\r\nConnection: close$&')), ["Upgrade (RFC 9110 7.8), as Java's HttpClient and curl --http2 send it", 'Upgrade with chunks', 'Upgrade in HTTP/1.0']],
  ['a 404 ends the connection', reply(/(HTTP\/1.1 404 [^]*?\r\n\r\n)[^]*/, '$1'), ['every character of a path', 'asterisk-form with OPTIONS', 'pipelined requests (9.3.2)', 'BREW after other requests']],
  ['the connection stays open after a 417', reply(/^(HTTP\/1.1 417 [^]*)/, '$1$1'), ['another expectation', 'two expectations', 'an empty expectation']],
  // The description
  ...([
    ['the name has another limit', `"maxLength":${MAX}`, `"maxLength":${MAX + 1}`],
    ['the name is required', '"required":false', '"required":true'],
    ['there is another parameter', '"parameters":[{"name":"name"', '"parameters":[{"name":"other","in":"query","schema":{}},{"name":"name"'],
    ['the parameter is missing', '"parameters":', '"wrong":'],
    ['there is another status', '"responses":{', '"responses":{"422":{"content":{}},'],
    ['the 500 is missing', '"500":', '"wrong":'],
    ['a 400 has another media type', '"application/problem+json":', '"application/xml":'],
    ['a greeting has a member that need not be there', '"required":["message","generatedAt"]', '"required":["message"]'],
    ['a greeting has members of any name', '"additionalProperties":false', '"additionalProperties":true'],
    ['errors has a list that may be empty', '{"type":"array","minItems":1,', '{"type":"array",'],
    ['errors may be empty', '"minProperties":1,', ''],
    ['a time stamp has no format', '"format":"date-time",', ''],
  ] as const).map(([mistake, from, to]) => [`described: ${mistake}`, inDescription(from, to), [`the description of GET ${GREETINGS} has the parameters, replies and schemas of this service`]] as const),
  ['described: a greeting has a number', inDescription('"message":{"type":"string"', '"message":{"type":"integer"'), [`every reply to GET ${GREETINGS} in this run fits its schema in the description`]],
  ['described: the description does not have an endpoint', inDescription(`"${GREETINGS}"`, '"/other"'), ['the description is of GET of the endpoints that it must have and nothing else']],
  ['a trace id repeats', { reply: (bytes) => withContent(bytes, (content) => content.replace(/"traceId":"[^"]*"/, '"traceId":"1"')) }, ['traceId, where there is one, is a string that differs on every request']],
];

function inDescription(from: string, to: string): Wrong {
  return { reply: (bytes) => (bytes.includes('"openapi":') ? withContent(bytes, (content) => content.replace(from, () => to)) : bytes) };
}

/** The one reply in `bytes`, with another content. */
function withContent(bytes: string, change: (content: string) => string): string {
  const [head = '', content = ''] = bytes.split('\r\n\r\n');
  const changed = change(content);
  return `${head.replace(/(?<=content-length: )\d+/i, String(changed.length))}\r\n\r\n${changed}`;
}

/** A server that differs wherever the specification and the decisions say nothing. No row of theirs may fail for it. */
export const different: Wrong = {
  reply: (bytes) => {
    const { replies: [first] } = repliesIn(Buffer.from(bytes, 'latin1'));
    if (first === undefined || first.body === '') return bytes.replace(/(?<=^HTTP\/1\.1 \d{3}) .*/, ' Whatever').replace('Content-Length:', 'content-LENGTH:\t');
    const content = Buffer.from(field(first, 'content-type')?.includes('json') === true ? inOtherWords(first.body) : first.body).toString('latin1');
    const fields = first.headers.filter((line) => !line.startsWith('Content-Length')).map((line) => line.replace(/^[^:]+: /, (name) => name.toLowerCase().trim()).replace('; charset', ';  Charset')).reverse();
    return [`HTTP/1.1 ${first.status}`, 'x-other: field', ...fields, 'Transfer-Encoding: chunked', '', `${content.length.toString(16)};a=b`, content, '0', '', ''].join('\r\n');
  },
};

function inOtherWords(text: string): string {
  const words = text.replaceAll('"GreetingResponse":', '"a/b":').replaceAll('schemas/GreetingResponse"', 'schemas/a~1b"').replace(/("description|"summary|"name":\[)"?:?"[^"]*"/g, (found) => found.replace(/"[^"]*"$/, '"Whatever."'));
  return JSON.stringify(reversed(JSON.parse(words)), null, 2);
}

// With the members of each object in the other order.
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, reversed(inner)]).reverse()) : value;
}
