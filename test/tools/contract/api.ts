// The rows about the API, here the greetings: those of the specification, and those of the decisions. A service of your
// own has others.
import { asking, DESCRIPTION, row, WITH_BODY, words, type Expected, type Sections, type Subject } from './row.ts';

const GREETINGS = '/api/greetings';
const MAX = 80; // characters of a name

// If there is a GET, its reply has this status: by default, 200.
type Example = { readonly target: string; readonly methods: readonly string[]; readonly status?: number };

/** The paths of the API as they are described, such as `/notes/{id}`, each with its methods and a target. */
export const EXAMPLES: Readonly<Record<string, Example>> = { [GREETINGS]: { target: GREETINGS, methods: ['GET'] } };

const WORLD = `GET ${GREETINGS}`;
const INVALID = `GET ${GREETINGS}?name=`;
const TOO_LONG = `?name=${'a'.repeat(MAX + 1)}`;
const EMOJI = '%F0%9F%98%80';
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?\+00:00$/; // such as 2026-11-20T10:15:30.123+00:00
// The places where RFC 9110 is published have different anchors for this section.
const URI_OF_BAD_REQUEST = /^[a-z][a-z\d+.-]*:.*rfc9110.*(?:15\.5\.1$|status\.400|400-bad-request)/i;
const UNEXPECTED = { title: 'An unexpected error occurred.', detail: 'Contact support if the problem persists.' };
const INVALID_TYPE = 'https://tools.ietf.org/html/rfc9110#section-15.5.1';
const OF_INVALID = { type: INVALID_TYPE, title: 'One or more validation errors occurred.' };
const INFO = { 'info.title': 'Greeting Service | v1', 'info.version': '1.0.0' };
const OF_DESCRIPTION = { ...INFO, openapi: /^3\.1\./, servers: undefined, security: [] };

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const PARENT = `00-${TRACE}-${SPAN}`;
const LATER_PARENT = `cc-${TRACE}-${SPAN}-01`; // of a later version
const IGNORED_PARENTS = [
  PARENT, ...words('-1 -0g -0A -01- -01-more').map((flags) => PARENT + flags), `${LATER_PARENT}a`,
  ...words('0 CC ff').map((version) => `${version}-${TRACE}-${SPAN}-01`),
  ...[TRACE.toUpperCase(), TRACE.slice(1), '0'.repeat(32)].map((trace) => `00-${trace}-${SPAN}-01`),
  ...[SPAN.toUpperCase(), `${SPAN}0`, '0'.repeat(16)].map((span) => `00-${TRACE}-${span}-01`),
  `${PARENT}-01\r\ntraceparent: ${PARENT}-01`, `${LATER_PARENT}-a\r\ntraceparent: ${LATER_PARENT}`,
];
// A traceparent in the caller's trace with these flags, and one in another; with another span id.
const inTrace = (flags: '00' | '01') => new RegExp(`^00-${TRACE}-(?!${SPAN}|0{16})[0-9a-f]{16}-${flags}$`);
const IN_NEW_TRACE = new RegExp(`^00-(?!${TRACE}|0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[01]$`);

export const EXCEPTION_TEXT = 'the clock stopped'; // for the rows that need one
// A body without type, message and stack trace of an exception.
const TELLING_NOTHING = new RegExp(`^(?![^]*(?:${EXCEPTION_TEXT}|Error|\\bat .*:\\d|\\.[jt]s\\b))`);

/** Makes rows about queries: `greets` has one for each, with the name that is greeted. */
function querying({ authority }: Subject) {
  const asked = asking(authority);
  const get = (query: string, expected: Expected) => row(query, asked.ask(WORLD + query, expected));
  return {
    ...asked,
    greets: (names: Readonly<Record<string, string>>) =>
      Object.entries(names).map(([query, name]) => get(query, { status: 200, json: { message: `Hello, ${name}!` } })),
    refuses: (...queries: readonly string[]) => queries.map((query) => get(query, { status: 400 })),
  };
}

/** What any implementation must do. */
export function specified(subject: Subject): Sections {
  const { ask, unmapped, greets, refuses } = querying(subject);
  const refusals = (expected: Expected) =>
    ['?name=', TOO_LONG].map((query) => ask(WORLD + query, { status: 400, ...expected }));
  const traceIds: unknown[] = []; // that have come; {} for none
  const differsEachTime = (id: unknown) => traceIds.push(id ?? {}) === new Set(traceIds).size;
  const startedAt = Date.now();
  function isTimeOfRequest(value: unknown): boolean { // to 5 seconds: two clocks may differ
    const time = Date.parse(TIMESTAMP.exec(String(value))?.[0] ?? '');
    return time >= startedAt - 5_000 && time <= Date.now() + 5_000;
  }
  return {
    'GET /api/greetings': [
      ...greets({ '': 'World', '?': 'World', '?other=Ada': 'World', '?name=A': 'A', '?name=%20A%20%20B%20': 'A  B' }),
      ...greets({ [`?name=${'a'.repeat(MAX)}`]: 'a'.repeat(MAX), '?name=J%C3%BCrgen%20%E6%9D%8E': 'Jürgen 李' }),
      ...greets({ '?name=%22%5C%22%27%0D%0Ab%1Bc': '"\\"\'\r\nb\u001bc', '?name=%3Cb%3E%26amp;': '<b>&amp;' }),
      ...refuses('?name=', TOO_LONG),
      unmapped('/api/greetings/Ada'),
    ],
    'GreetingResponse (body of a successful greeting)': [
      row('JSON in UTF-8, with the time of the request in ISO 8601', ask(WORLD, {
        status: 200,
        type: 'application/json; charset=utf-8',
        json: { generatedAt: isTimeOfRequest },
      })),
    ],
    'Validation problem document (body of a 400)': [
      row('it points to RFC 9110, and maps name to messages', ...refusals({
        type: 'application/problem+json',
        json: {
          type: URI_OF_BAD_REQUEST, title: /\S/, status: 400, 'errors.name': areStrings, traceId: isStringOrAbsent,
        },
      })),
      row('traceId, if there is one, differs each time',
        ...[1, 2].flatMap(() => refusals({ json: { traceId: differsEachTime } }))),
    ],
    'Unexpected-error problem document (body of a 500)': [
      row('it tells nothing of the exception', ask(`${WORLD}?name=Ada`, {
        status: 500,
        type: 'application/problem+json',
        json: { status: 500, ...UNEXPECTED, instance: GREETINGS },
        body: TELLING_NOTHING,
      })),
      ...refuses('?name='), // "the handler logic is not run when validation fails", and so throws nothing
    ].map((one) => ({ ...one, needs: 'an exception' })),
  };
}

/** What this project does where the specification says nothing. */
export function decided(subject: Subject): Sections {
  const { ask, unmapped, greets, refuses } = querying(subject);
  const traced = (says: string, traceId: RegExp, ...fields: readonly string[]) =>
    row(says, ask(INVALID, { status: 400, json: { traceId } }, ...fields));
  return {
    '2: paths match byte for byte (those of the API)':
      words('/api/greetings/ /api/Greetings /api/greetings%20 /api%2Fgreetings').map(unmapped),
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
      ...['', '-', '-what.the/future=has'].map((more) =>
        traced(`from four fields of a later version${more}`, inTrace('01'), `traceparent: ${LATER_PARENT}${more}`)),
      traced('with no flag but the sampled flag', inTrace('01'), `traceparent: ${PARENT}-ff`),
      traced('and not another one', inTrace('00'), `traceparent: ${PARENT}-fe`),
      ...IGNORED_PARENTS.map((text) => traced(`of a new trace, despite ${text}`, IN_NEW_TRACE, `traceparent: ${text}`)),
    ],
    '10: type and title of a 400': [row('they', ask(INVALID, { status: 400, json: OF_INVALID }))],
    '11: no type of a 500':
      [{ ...row('', ask(WORLD, { status: 500, json: { type: undefined } })), needs: 'an exception' }],
    '12: generatedAt': [row('has milliseconds', ask(WORLD, { json: { generatedAt: /:\d\d\.\d{3}\+/ } }))],
    '13: a reply with a body is not to be stored or sniffed, and names no software':
      [WORLD, INVALID].map((asked) => row(asked, ask(asked, WITH_BODY))),
    '16: the bodies have the members that the description lists': [
      row('a greeting', ask(WORLD, { members: ['message', 'generatedAt'] })),
      row('a 400', ask(INVALID, { members: words('type title status errors traceId'), json: { errors: isOfName } })),
    ],
    ...(subject.environment === 'development' && {
      '16: the description': [row('what it says', ask(`GET ${DESCRIPTION}`, { ...WITH_BODY, json: OF_DESCRIPTION }))],
    }),
  };
}

const areStrings = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
const isStringOrAbsent = (value: unknown) => value === undefined || typeof value === 'string';
const isOfName = (errors: unknown) => Object.keys(Object(errors)).join() === 'name';
