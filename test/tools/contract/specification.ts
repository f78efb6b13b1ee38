// The rows of the specification: what any implementation must do. Sections have the names of the document. What it leaves open (wording
// of messages, order of fields, further fields, dates, connections) is open here as well.
import { isObject } from '../../support/schema.ts';
import { CONSTANT_ENDPOINTS, DESCRIBED_PATHS, DESCRIPTION, GREETINGS, MAX_NAME_LENGTH as MAX } from './endpoints.ts';
import {
  body, isMessages, isString, matches, mediaType, member, memberIs, noBody, status, timeOfRequest, type Expectation,
} from './expectation.ts';
import { descriptionMisfits, documentOf } from './openapi.ts';
import { asking, row, type Expected, type Row, type Sections, type Seen, type Subject } from './row.ts';

const MAPPED = [...CONSTANT_ENDPOINTS.map(({ path }) => path), GREETINGS];
const METHODS = ['HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];
const MESSAGES = 'an array of strings, at least one';
const UNMAPPED = ['/', '/nope', '/api', '/health/live', '/api/greetings/Ada', '/openapi', '/openapi/v2.json', '/v1/health', '/favicon.ico'];

export function specification(subject: Subject): Sections {
  const { ask, given, askUnmapped, greeted, refused } = asking(subject);
  const world = (says: string, expected: Expectation) => row(says, given(200, `GET ${GREETINGS}`, [expected]));
  const refusals = (expected: Expectation) =>
    ['', 'a'.repeat(MAX + 1)].map((name) => given(400, `GET ${GREETINGS}?name=${name}`, [expected]));
  const failed = (says: string, expected: Expectation): Row =>
    ({ ...row(says, given(500, `GET ${GREETINGS}?name=Ada`, [expected])), needs: 'an exception' });

  return {
    ...Object.fromEntries(CONSTANT_ENDPOINTS.map(({ path, mediaType: type, body: text }) => [`GET ${path}`, [
      row(`the status of ${path} is 200`, ask(`GET ${path}`, [status(200)])),
      row(`the media type of ${path} is ${type}`, given(200, `GET ${path}`, [mediaType(type)])),
      row(`the body of ${path} is ${text}`, given(200, `GET ${path}`, [body(text)])),
    ]])),
    // Only the space is used as white space: other cases, which the specification leaves open, are in the decisions.
    'GET /api/greetings': [
      greeted('without a name the world is greeted', '', 'World'),
      greeted('an empty query has no name, so the world is greeted', '?', 'World', ['? ', '?name= ']),
      greeted('a query of something else has no name, so the world is greeted', '?other=Ada', 'World', ['other=Ada', 'name=']),
      greeted('a name is greeted', '?name=Ada', 'Ada'),
      greeted('a name of one character is greeted', '?name=A', 'A'),
      greeted(`a name of ${MAX} characters is greeted`, `?name=${'a'.repeat(MAX)}`, 'a'.repeat(MAX)),
      greeted('spaces around a name are trimmed', '?name=%20%20Ada%20', 'Ada'),
      greeted('spaces within a name stay', '?name=Ada%20%20Lovelace', 'Ada  Lovelace', ['%20%20L', '%20L']),
      greeted('a name outside ASCII is greeted in UTF-8', '?name=J%C3%BCrgen%20%E6%9D%8E', 'Jürgen 李'),
      greeted('quotes and backslashes are escaped in JSON', '?name=%22%5C%22%27', '"\\"\''),
      greeted('control characters are escaped in JSON', '?name=a%0D%0Ab%1Bc', 'a\r\nb\u001bc'),
      greeted('markup in a name stays unchanged', '?name=%3Cscript%3Ealert(1)%3C/script%3E', '<script>alert(1)</script>'),
      refused('an empty name is refused with 400', '?name=', ['?name= ', '? ']),
      refused(`a name of ${MAX + 1} characters is refused with 400`, `?name=${'a'.repeat(MAX + 1)}`, ['a'.repeat(MAX + 1), 'a']),
      refused(`a name of ${MAX * 10} characters is refused with 400`, `?name=${'a'.repeat(MAX * 10)}`),
      world('the media type of a greeting is application/json; charset=utf-8', mediaType('application/json; charset=utf-8')),
    ],
    'GreetingResponse (body of a successful greeting)': [
      world('message is a string', member('message', 'a string', isString, undefined, {})),
      world('generatedAt is an ISO 8601 timestamp with the offset +00:00', matches(
        'generatedAt', 'a timestamp such as 2026-11-20T10:15:30.123+00:00', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?\+00:00$/,
        undefined, '2026-11-20T10:15:30.123Z', 1_795_169_730_123,
      )),
      world('generatedAt is the time of the request', timeOfRequest),
    ],
    'Validation problem document (body of a 400)': [
      row('the media type of a 400 is application/problem+json', ...refusals(mediaType('application/problem+json'))),
      row('type of a 400 points to the section of RFC 9110 on 400', ...refusals(uriOfBadRequest)),
      row('title of a 400 is a string that is not empty', ...refusals(matches('title', 'a string, not empty', /\S/, undefined, '', 400))),
      row('status in a 400 is the number 400', ...refusals(memberIs('status', 400))),
      row('errors of a 400 maps name to messages', ...refusals(member('errors.name', MESSAGES, isMessages, undefined, [], 'No.', [1]))),
      {
        ...row('traceId, where there is one, is a string that differs on every request', ...Array.from({ length: 10 }, () =>
          refusals(member('traceId', 'a string or absent', (id) => id === undefined || isString(id), 1))).flat()),
        review: {
          of: 'row', text: 'a traceId that differs on every request', misfits: repeatedTraceIds,
          mistake: [/"traceId":"[^"]*"/g, '"traceId":"1"'],
        },
      },
    ],
    'Unexpected-error problem document (body of a 500)': [
      { ...row('an exception is answered with 500', ask(`GET ${GREETINGS}?name=Ada`, [status(500)])), needs: 'an exception' },
      failed('the media type of a 500 is application/problem+json', mediaType('application/problem+json')),
      failed('status in a 500 is the number 500', memberIs('status', 500)),
      failed('title of a 500 says that an unexpected error occurred', memberIs('title', 'An unexpected error occurred.')),
      failed('detail of a 500 says to contact support', memberIs('detail', 'Contact support if the problem persists.')),
      failed('instance of a 500 is the path of the request', memberIs('instance', GREETINGS)),
      failed('a 500 has no information on the exception', tellsNothing),
      // "The handler logic is not run when validation fails" and "a 400 does not pass through the 500 handler".
      { ...refused('a name that is refused is never passed to the code that throws', '?name=', ['?name=', '']), needs: 'an exception' },
    ],
    'GET /openapi/v1.json': descriptionRows(subject),
    'Other responses given by the framework: 404': [
      ...UNMAPPED.map((path) => row(`${path} is not mapped: 404, whatever the method`, ...askUnmapped(`${path}?name=Ada`))),
      row('a 404 has no body', given(404, 'GET /nope', [noBody])),
    ],
    'Other responses given by the framework: 405': [
      ...METHODS.map((method) => row(
        `${method} to a GET-only endpoint is 405`,
        ...[...MAPPED, `${GREETINGS}?name=`].map((target) => ask(`${method} ${target}`, [status(405)])),
      )),
      row('a 405 has no body', ...MAPPED.map((target) => given(405, `POST ${target}`, [noBody]))),
    ],
    Authentication: [{
      ...row('credentials and tokens are ignored: a request with wrong ones is answered like any other', ...[
        'Authorization: Basic !', 'Authorization: Bearer a.b.c', 'Proxy-Authorization: Basic eDp5', 'Cookie: session=none',
      ].map((field) => ask(`GET ${GREETINGS}`, [status(200)], field))),
      misread: [/^GET \S+(?=[^]*Authorization:)/g, 'GET /nope'],
    }],
  };
}

function descriptionRows(subject: Subject): readonly Row[] {
  const { ask, given, askUnmapped } = asking(subject);
  const described = (says: string, ...expected: Expected) => row(says, given(200, `GET ${DESCRIPTION}`, expected));
  const rows = {
    undefined: [{ says: 'in Development the description is there, elsewhere it is not', needs: 'the environment', steps: [] }],
    production: [row('outside Development the description does not exist: 404, whatever the method', ...askUnmapped(DESCRIPTION))],
    development: [
      row('in Development the description is there', ask(`GET ${DESCRIPTION}`, [status(200)])),
      described('the media type of the description is application/json', mediaType('application/json')),
      described('the description is an OpenAPI 3 document', matches('openapi', 'a version 3', /^3\.\d+\.\d+$/, undefined, '2.0', 3)),
      described('the description is of GET of the endpoints that it must have and nothing else', member(
        'paths', `${DESCRIBED_PATHS.join(' and ')} with get`, isDescribedOnly,
        undefined, {}, { [GREETINGS]: { get: {}, post: {} } }, { [GREETINGS]: { get: {} }, '/health': { get: {} } },
      )),
      described(
        'the description has no security scheme',
        member('components.securitySchemes', 'absent or empty', isAbsentOrEmpty, { key: { type: 'http', scheme: 'basic' } }),
        member('security', 'absent or empty', isAbsentOrEmpty, [{ key: [] }], 'key'),
      ),
      ...METHODS.map((method) => row(`${method} to the description is 405`, ask(`${method} ${DESCRIPTION}`, [status(405)]))),
      ...DESCRIBED_PATHS.map((path): Row => ({
        ...described(`every reply to GET ${path} in this run fits its schema in the description`),
        review: {
          of: 'run', text: 'replies that fit their schemas', mistake: ['"type":"', '"type":"no '],
          misfits: (seen) => descriptionMisfits(documentOf(seen, DESCRIPTION), path, seen),
        },
      })),
    ],
  } as const;
  return rows[`${subject.environment}`];
}

// The places where RFC 9110 is published have different anchors for this section.
const uriOfBadRequest = matches(
  'type', 'a URI of RFC 9110, 15.5.1', /^[a-z][a-z\d+.-]*:.*rfc9110.*(?:15\.5\.1$|status\.400|400-bad-request)/i,
  undefined, 'about:blank', 'rfc9110#section-15.5.1',
);

const METHODS_OF_A_PATH = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];
const isDescribedOnly = (paths: unknown) => isObject(paths) && Object.keys(paths).sort().join() === DESCRIBED_PATHS.toSorted().join()
  && Object.values(paths).every((path) => Object.keys(Object(path)).filter((name) => METHODS_OF_A_PATH.includes(name)).join() === 'get');

const isAbsentOrEmpty = (value: unknown) => value === undefined
  || ((isObject(value) || Array.isArray(value)) && Object.keys(value).length === 0);

function repeatedTraceIds(seen: readonly Seen[]): string[] {
  const ids = seen.map(({ reply }) => /"traceId"\s*:\s*"([^"]*)"/.exec(reply.body)?.[1]).filter(isString);
  return ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `the traceId ${id} came more than once`);
}

/** The message of the exception for the rows that need one. */
export const EXCEPTION_TEXT = 'the clock stopped';

const tellsNothing: Expectation = {
  text: `nothing of the exception (${EXCEPTION_TEXT})`,
  holds: ({ body: text }) => !text.includes(EXCEPTION_TEXT) && !/Error|\bat .*:\d+|\.[jt]s\b/.test(text),
  mistakes: [EXCEPTION_TEXT, 'RangeError', 'at greet (1:1)', 'app.js'].map((told) => (reply) => ({ ...reply, body: reply.body + told })),
};
