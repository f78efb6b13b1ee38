// The rows of the decisions: what this project does where the specification says nothing. Other implementations may
// differ. Decisions that no reply shows are tested elsewhere, and those about the wire are in wire.ts.
import { inside } from '../../support/schema.ts';
import { asking, DESCRIPTION, GREETINGS, head, MAX, row, words, type Sections, type Subject } from './row.ts';

const NOT_MAPPED = words(`
  /health/ /Health //health /./health /api/../health /%68ealth /health%00 /health;a /health#a /health\\"[|%2z
  /api/greetings/ /api/Greetings /api/greetings%20 /api%2Fgreetings /openapi/v1.JSON /__proto__ /constructor`);
const NONE = undefined;
const WORLD = `GET ${GREETINGS}`;
const INVALID = `GET ${GREETINGS}?name=`;
const EMOJI = '%F0%9F%98%80';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const PARENT = `00-${TRACE}-${SPAN}`;
const IGNORED_PARENTS = [PARENT, `${PARENT.toUpperCase()}-01`, `${PARENT}-01-more`, `ff${PARENT.slice(2)}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`, `00-${TRACE}-${'0'.repeat(16)}-01`, `${PARENT}-01\r\ntraceparent: ${PARENT}-01`];
// A traceparent in the caller's trace with these flags, and one in another; with another span id.
const inTrace = (flags: '00' | '01') => new RegExp(`^00-${TRACE}-(?!${SPAN}|0{16})[0-9a-f]{16}-${flags}$`);
const IN_NEW_TRACE = new RegExp(`^00-(?!${TRACE}|0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[01]$`);

const EMPTY = { fields: { 'Content-Length': '0', 'Content-Type': NONE, 'Cache-Control': 'no-store' }, body: '' };
const WITH_BODY = { fields: { Server: NONE, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } };
const TITLE = 'One or more validation errors occurred.';
const TYPE = 'https://tools.ietf.org/html/rfc9110#section-15.5.1';
const OF_DESCRIPTION = {
  openapi: /^3\.1\./, 'info.title': 'Greeting Service | v1', 'info.version': '1.0.0', servers: NONE, security: [],
};
const only = (...names: readonly string[]) => ({ json }: { readonly json: unknown }) =>
  Object.keys(Object(json)).sort().join() === names.toSorted().join();

export function decisions({ authority, environment }: Subject): Sections {
  const { ask, unmapped, greets, refuses } = asking(authority);
  const traced = (says: string, traceId: RegExp, ...fields: readonly string[]) =>
    row(says, ask(INVALID, { status: 400, json: { traceId } }, ...fields));
  const connect = row('CONNECT: the end', { send: head('CONNECT a:80 HTTP/1.1', `Host: ${authority}`), replies: [] });

  return {
    '2: paths match byte for byte': NOT_MAPPED.map(unmapped),
    '3: the query is read as the URL Standard says, and the first name counts': [
      ...greets({ '?n%61me=+Ada+Lovelace+': 'Ada Lovelace', '?NAME=&Name=&name=Ada&name=Grace&name=': 'Ada' }),
      ...greets({ '??name=Ada': 'World', '?__proto__=Ada&constructor=Ada': 'World', '?name=%FF': '\uFFFD' }),
      ...greets({ '?name=%zz%2z+a%2+%': '%zz%2z a%2 %', '?name=<b>"{}|^`[]\'=\\;#': '<b>"{}|^`[]\'=\\;#' }),
      ...refuses('?name=&name=Ada'),
    ],
    '4: a character is a code point, counted before trimming': [
      ...greets({ [`?name=${EMOJI.repeat(MAX)}`]: '😀'.repeat(MAX), '?name=%00': '\0', '?name=%09%C2%A0A': 'A' }),
      ...refuses(`?name=${EMOJI.repeat(MAX + 1)}`, `?name=+${'a'.repeat(MAX)}`),
    ],
    '5 and 6: white space only, and no equals sign': refuses('?name=%20', '?name=%09%C2%A0', '?name'),
    '7: traceId is a traceparent (W3C Trace Context)': [
      traced('of a new trace', IN_NEW_TRACE),
      traced('in the trace of the client, and sampled as that', inTrace('01'), `traceparent: ${PARENT}-01`),
      traced('not sampled when the traceparent is not', inTrace('00'), `Traceparent: ${PARENT}-00`),
      traced('from four fields of a later version', inTrace('01'), `traceparent: cc${PARENT.slice(2)}-01-more`),
      traced('with no flag but the sampled flag', inTrace('01'), `traceparent: ${PARENT}-ff`),
      ...IGNORED_PARENTS.map((text) => traced(`of a new trace, despite ${text}`, IN_NEW_TRACE, `traceparent: ${text}`)),
    ],
    '8: other methods': [
      row('a 405 has Allow: GET', ask(`OPTIONS ${GREETINGS}`, { status: 405, fields: { Allow: 'GET' } })),
      ...words('PROPFIND QUERY SEARCH M-SEARCH').map((method) => row(`${method}: 405 on a mapped path, else 404`,
        ask(`${method} /health`, { status: 405 }), ask(`${method} /nope`, { status: 404 }))),
      ...words("get connect CONNECTS G PRI !#$%&'*+-.^_`|~09azAZ").map((method) =>
        row(`${method} is not known: 400`, ask(`${method} /health`, { status: 400 }))),
      { ...connect, ends: true },
    ],
    '9 and 13: a reply without a body says so, and that it is not to be stored': [
      row('a 404', ask('GET /nope', { status: 404, ...EMPTY })),
      row('a 405', ask('POST /health', { status: 405, ...EMPTY })),
      ...['GET /health HTTP/1.1', 'not HTTP'].map((line) =>
        row('a 400 to an illegal request', { send: head(line), replies: [{ status: 400, ...EMPTY }] })),
    ],
    '10: type and title of a 400': [row('they', ask(INVALID, { status: 400, json: { type: TYPE, title: TITLE } }))],
    '11: no type of a 500': [{ ...row('', ask(WORLD, { status: 500, json: { type: NONE } })), needs: 'an exception' }],
    '12: generatedAt': [row('has milliseconds', ask(WORLD, { json: { generatedAt: /:\d\d\.\d{3}\+/ } }))],
    '13: a reply with a body is not to be stored or sniffed, and names no software':
      ['GET /health', WORLD, INVALID].map((asked) => row(asked, ask(asked, WITH_BODY))),
    '16: the bodies have the members that the description lists': [
      row('a greeting', ask(WORLD, { also: { 'message and generatedAt only': only('message', 'generatedAt') } })),
      row('a 400', ask(INVALID, {
        also: {
          'type, title, status, errors and traceId only': only('type', 'title', 'status', 'errors', 'traceId'),
          'errors with name only': ({ json }) => only('name')({ json: inside(json, 'errors') }),
        },
      })),
    ],
    ...(environment === 'development' && {
      '16: the description': [row('what it says', ask(`GET ${DESCRIPTION}`, { ...WITH_BODY, json: OF_DESCRIPTION }))],
    }),
  };
}
