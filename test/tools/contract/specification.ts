// The rows of the specification: what any implementation must do. Sections have the names of the document. What it leaves open (wording
// of messages, order of fields, further fields, dates, connections) is open here as well.
import type { Reply } from '../../support/replies.ts';
import { inside, isObject } from '../../support/schema.ts';
import { CONSTANT_ENDPOINTS, DESCRIBED_PATHS, DESCRIPTION, GREETINGS, MAX_NAME_LENGTH as MAX } from './endpoints.ts';
import { body, isString, json, matches, mediaType, member, memberIs, members, timeOfRequest, type Expectation } from './expectation.ts';
import { descriptionMisfits } from './openapi.ts';
import { asking, row, type Sections, type Subject } from './row.ts';

const MAPPED = [...CONSTANT_ENDPOINTS.map(({ path }) => path), GREETINGS, `${GREETINGS}?name=`];
const METHODS = ['HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];
const UNMAPPED = ['/', '/nope', '/api', '/health/live', '/api/greetings/Ada', '/openapi', '/openapi/v2.json', '/v1/health', '/favicon.ico'];
const TOO_LONG = `?name=${'a'.repeat(MAX + 1)}`;

export function specification(subject: Subject): Sections {
  const { environment } = subject;
  const { ask, askUnmapped, greeted, refused } = asking(subject);
  const refusals = (...expected: readonly Expectation[]) =>
    ['?name=', TOO_LONG].map((query) => ask(400, `GET ${GREETINGS}${query}`, expected));
  const mapped = environment === 'development' ? [...MAPPED, DESCRIPTION] : MAPPED;
  const credentials = ['Authorization: Basic !', 'Authorization: Bearer a.b.c', 'Proxy-Authorization: Basic eDp5', 'Cookie: session=none'];

  return {
    ...Object.fromEntries(CONSTANT_ENDPOINTS.map(({ path, mediaType: type, body: text }) =>
      [`GET ${path}`, [row(`${path} is ${text}`, ask(200, `GET ${path}`, [mediaType(type), body(text)]))]])),
    // Only the space is used as white space: other cases, which the specification leaves open, are in the decisions.
    'GET /api/greetings': [
      greeted('without a name the world is greeted', '', 'World'),
      greeted('an empty query has no name, so the world is greeted', '?', 'World'),
      greeted('a query of something else has no name, so the world is greeted', '?other=Ada', 'World'),
      greeted('a name of one character is greeted', '?name=A', 'A'),
      greeted(`a name of ${MAX} characters is greeted`, `?name=${'a'.repeat(MAX)}`, 'a'.repeat(MAX)),
      greeted('spaces around a name are trimmed, and those within it stay', '?name=%20%20Ada%20%20Lovelace%20', 'Ada  Lovelace'),
      greeted('a name outside ASCII is greeted in UTF-8', '?name=J%C3%BCrgen%20%E6%9D%8E', 'Jürgen 李'),
      greeted('quotes, backslashes and control characters are escaped in JSON', '?name=%22%5C%22%27%0D%0Ab%1Bc', '"\\"\'\r\nb\u001bc'),
      greeted('markup in a name stays unchanged', '?name=%3Cscript%3Ealert(1)%3C/script%3E', '<script>alert(1)</script>'),
      refused('an empty name is refused with 400', '?name='),
      refused(`a name of ${MAX + 1} characters is refused with 400`, TOO_LONG),
    ],
    'GreetingResponse (body of a successful greeting)': [
      row('a greeting is JSON in UTF-8, with the time of the request in ISO 8601', ask(200, `GET ${GREETINGS}`, [
        mediaType('application/json; charset=utf-8'),
        matches(
          'generatedAt', 'a timestamp such as 2026-11-20T10:15:30.123+00:00', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?\+00:00$/,
          undefined, '2026-11-20T10:15:30.123Z', 1_795_169_730_123,
        ),
        timeOfRequest,
      ])),
    ],
    'Validation problem document (body of a 400)': [
      row('a 400 is a problem document that points to RFC 9110, and maps name to messages', ...refusals(
        mediaType('application/problem+json'), uriOfBadRequest,
        matches('title', 'a string, not empty', /\S/, undefined, '', 400),
        memberIs('status', 400),
        member('errors.name', 'an array of strings, at least one', isMessages, undefined, [], 'No.', [1]),
        member('traceId', 'a string or absent', (id) => id === undefined || isString(id), 1),
      )),
      {
        ...row('traceId, where there is one, differs on every request', ...Array.from({ length: 5 }, () => refusals()).flat()),
        misfits: repeatedTraceIds,
      },
    ],
    'Unexpected-error problem document (body of a 500)': [
      {
        ...row('an exception is answered with a problem document that tells nothing of it', ask(500, `GET ${GREETINGS}?name=Ada`, [
          mediaType('application/problem+json'), memberIs('status', 500),
          memberIs('title', 'An unexpected error occurred.'), memberIs('detail', 'Contact support if the problem persists.'),
          memberIs('instance', GREETINGS), tellsNothing,
        ])),
        needs: 'an exception',
      },
      // "The handler logic is not run when validation fails" and "a 400 does not pass through the 500 handler".
      { ...refused('a name that is refused is never passed to the code that throws', '?name='), needs: 'an exception' },
    ],
    'GET /openapi/v1.json': environment === 'production' ? [
      row('outside Development the description is not there: 404, whatever the method', ...askUnmapped(DESCRIPTION)),
    ] : [
      row('in Development the description is an OpenAPI 3 document of GET alone, without security', ask(200, `GET ${DESCRIPTION}`, [
        mediaType('application/json'), matches('openapi', 'a version 3', /^3\.\d+\.\d+$/, undefined, '2.0', 3),
        members('paths', ...DESCRIBED_PATHS),
        ...DESCRIBED_PATHS.map((path) => member(`paths.${path}`, 'get and no other method', hasOnlyGet, {}, { get: {}, post: {} })),
        member('components.securitySchemes', 'absent or empty', isAbsentOrEmpty, { key: { type: 'http', scheme: 'basic' } }),
        member('security', 'absent or empty', isAbsentOrEmpty, [{ key: [] }], 'key'),
      ])),
      ...DESCRIBED_PATHS.map((path) => ({
        ...row(
          `replies to GET ${path} fit their schemas in the description`, ask(200, `GET ${DESCRIPTION}`),
          ...['', '?name=Ada', '?name=', TOO_LONG].map((query) => ({ ...ask(0, `GET ${path}${query}`), replies: [[]] })), // any status
        ),
        misfits: (replies: readonly Reply[]) => descriptionMisfits(path, replies),
      })),
    ],
    'Other responses given by the framework: 404': UNMAPPED.map((path) =>
      row(`${path} is not mapped: 404 without a body, whatever the method`, ...askUnmapped(`${path}?name=Ada`))),
    'Other responses given by the framework: 405': METHODS.map((method) =>
      row(`${method} to a GET-only endpoint is 405 without a body`, ...mapped.map((path) => ask(405, `${method} ${path}`, [body('')])))),
    Authentication: [
      row('credentials and tokens are ignored: a request with wrong ones is answered like any other',
        ...credentials.map((field) => ask(200, `GET ${GREETINGS}`, [], field))),
    ],
  };
}

// The places where RFC 9110 is published have different anchors for this section.
const uriOfBadRequest = matches(
  'type', 'a URI of RFC 9110, 15.5.1', /^[a-z][a-z\d+.-]*:.*rfc9110.*(?:15\.5\.1$|status\.400|400-bad-request)/i,
  undefined, 'about:blank', 'rfc9110#section-15.5.1',
);

const isMessages = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isString);

const hasOnlyGet = (path: unknown) => isObject(path) && 'get' in path && !METHODS.some((method) => method.toLowerCase() in path);

const isAbsentOrEmpty = (value: unknown) => typeof (value ?? {}) === 'object' && Object.keys(value ?? {}).length === 0;

/** The message of the exception for the rows that need one. */
export const EXCEPTION_TEXT = 'the clock stopped';

const tellsNothing: Expectation = {
  text: `nothing of the exception (${EXCEPTION_TEXT})`,
  of: (reply) => reply.body,
  accepts: (text) => !String(text).includes(EXCEPTION_TEXT) && !/Error|\bat .*:\d+|\.[jt]s\b/.test(String(text)),
  wrong: [EXCEPTION_TEXT, 'RangeError', 'at greet (1:1)', 'app.js'],
};

function repeatedTraceIds(replies: readonly Reply[]): string[] {
  const ids = replies.map((reply) => inside(json(reply), 'traceId')).filter(isString);
  const { size } = new Set(ids);
  return size === ids.length ? [] : [`a traceId that differs on every request, but ${ids.length} replies have ${size}`];
}
