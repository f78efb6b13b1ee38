// The rows of the specification: what any implementation must do. Sections have the names of the document. What it
// leaves open (wording of messages, order of fields, further fields, dates, connections) is open here as well.
import { CONSTANT_ENDPOINTS, DESCRIBED, DESCRIBED_PATHS, DESCRIPTION, GREETINGS, MAX_NAME_LENGTH as MAX } from './endpoints.ts';
import { body, isObject, isString, matches, mediaType, member, memberIs, message, noBody, status, timeOfRequest, type Expectation } from './expectation.ts';
import { listedValues } from './listed-values.ts';
import { descriptionMisfits, documentOf } from './openapi.ts';
import { ask, given, row, type Expected, type Part, type Row, type Section, type Seen, type Subject } from './row.ts';

const MAPPED = [...CONSTANT_ENDPOINTS.map(({ path }) => path), GREETINGS];
const METHODS = ['HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];

/** `described` has the parameters whose listed values are tried. */
export function specification(subject: Subject, described = DESCRIBED): Part {
  const get = (target: string, expected: Expected, fields: readonly string[] = []) => ask(subject, `GET ${target}`, expected, fields);
  const named = (name: string, ...expected: Expected) => get(`${GREETINGS}?name=${name}`, expected);
  const world = (...expected: Expected) => given(200, get(GREETINGS, expected));
  const greeted = (says: string, query: string, name: string) => row(says, get(`${GREETINGS}${query}`, [status(200), message(name)]));
  const refused = (says: string, name: string) => row(says, named(name, status(400)));
  const bothRefusals = (...expected: Expected) => ['', 'a'.repeat(MAX + 1)].map((name) => given(400, named(name, ...expected)));
  const thrown = (says: string, ...expected: Expected): Row => ({ ...row(says, named('Ada', ...expected)), needs: 'an exception' });
  const failed = (says: string, ...expected: Expected): Row => ({ ...row(says, given(500, named('Ada', ...expected))), needs: 'an exception' });

  return {
    name: 'specification',
    sections: [
      ...CONSTANT_ENDPOINTS.map((endpoint): Section => ({
        heading: `GET ${endpoint.path}`,
        rows: [
          row(`the status of ${endpoint.path} is 200`, get(endpoint.path, [status(200)])),
          row(`the media type of ${endpoint.path} is ${endpoint.mediaType}`, given(200, get(endpoint.path, [mediaType(endpoint.mediaType)]))),
          row(`the body of ${endpoint.path} is ${endpoint.body}`, given(200, get(endpoint.path, [body(endpoint.body)]))),
        ],
      })),
      {
        heading: 'GET /api/greetings',
        // Only the space is used as white space: other cases, which the specification leaves open, are in the decisions.
        rows: [
          greeted('without a name the world is greeted', '', 'World'),
          greeted('an empty query has no name, so the world is greeted', '?', 'World'),
          greeted('a query of something else has no name, so the world is greeted', '?other=Ada', 'World'),
          greeted('a name is greeted', '?name=Ada', 'Ada'),
          greeted('a name of one character is greeted', '?name=A', 'A'),
          greeted(`a name of ${MAX} characters is greeted`, `?name=${'a'.repeat(MAX)}`, 'a'.repeat(MAX)),
          greeted('spaces around a name are trimmed', '?name=%20%20Ada%20', 'Ada'),
          greeted('spaces within a name stay', '?name=Ada%20%20Lovelace', 'Ada  Lovelace'),
          greeted('a name outside ASCII is greeted in UTF-8', '?name=J%C3%BCrgen%20%E6%9D%8E', 'Jürgen 李'),
          greeted('quotes and backslashes are escaped in JSON', '?name=%22%5C%22%27', '"\\"\''),
          greeted('control characters are escaped in JSON', '?name=a%0D%0Ab%1Bc', 'a\r\nb\u001bc'),
          greeted('markup in a name stays unchanged', '?name=%3Cscript%3Ealert(1)%3C/script%3E', '<script>alert(1)</script>'),
          refused('an empty name is refused with 400', ''),
          refused(`a name of ${MAX + 1} characters is refused with 400`, 'a'.repeat(MAX + 1)),
          refused(`a name of ${MAX * 10} characters is refused with 400`, 'a'.repeat(MAX * 10)),
          row('the media type of a greeting is application/json; charset=utf-8', world(mediaType('application/json; charset=utf-8'))),
        ],
      },
      ...listedValues(subject, described),
      {
        heading: 'GreetingResponse (body of a successful greeting)',
        rows: [
          row('message is a string', world(member('message', 'a string', isString, undefined, {}))),
          row('generatedAt is an ISO 8601 timestamp with the offset +00:00', world(matches(
            'generatedAt', 'a timestamp such as 2026-11-20T10:15:30.123+00:00', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?\+00:00$/, undefined, '2026-11-20T10:15:30.123Z', 1_795_169_730_123,
          ))),
          row('generatedAt is the time of the request', world(timeOfRequest)),
        ],
      },
      {
        heading: 'Validation problem document (body of a 400)',
        rows: [
          row('the media type of a 400 is application/problem+json', ...bothRefusals(mediaType('application/problem+json'))),
          row('type of a 400 points to the section of RFC 9110 on 400', ...bothRefusals(member('type', 'a URI of RFC 9110, 15.5.1', isUriOfBadRequest, undefined, 'about:blank', 'rfc9110#section-15.5.1'))),
          row('title of a 400 is a string that is not empty', ...bothRefusals(matches('title', 'a string that is not empty', /\S/, undefined, '', 400))),
          row('status in a 400 is the number 400', ...bothRefusals(memberIs('status', 400))),
          row('errors of a 400 maps name to messages', ...bothRefusals(member('errors.name', 'an array of strings, at least one', isMessages, undefined, [], 'It does not fit.', [1]))),
          {
            ...row('traceId, where there is one, is a string that differs on every request',
              ...Array.from({ length: 10 }, () => bothRefusals(member('traceId', 'a string or absent', (id) => id === undefined || isString(id), 1))).flat()),
            review: { of: 'row', text: 'a traceId that differs on every request', misfits: repeatedTraceIds },
          },
        ],
      },
      {
        heading: 'Unexpected-error problem document (body of a 500)',
        rows: [
          thrown('an exception is answered with 500', status(500)),
          failed('the media type of a 500 is application/problem+json', mediaType('application/problem+json')),
          failed('status in a 500 is the number 500', memberIs('status', 500)),
          failed('title of a 500 says that an unexpected error occurred', memberIs('title', 'An unexpected error occurred.')),
          failed('detail of a 500 says to contact support', memberIs('detail', 'Contact support if the problem persists.')),
          failed('instance of a 500 is the path of the request', memberIs('instance', GREETINGS)),
          failed('a 500 has no information on the exception', tellsNothing),
          // "The handler logic is not run when validation fails" and "a 400 does not pass through the 500 handler".
          { ...refused('a name that is refused is never passed to the code that throws', ''), needs: 'an exception' },
        ],
      },
      { heading: 'GET /openapi/v1.json', rows: descriptionRows(subject) },
      {
        heading: 'Other responses given by the framework: 404',
        rows: [
          ...['/', '/nope', '/api', '/health/live', '/api/greetings/Ada', '/openapi', '/openapi/v2.json', '/v1/health', '/favicon.ico'].map((path) => row(
            `${path} is not mapped: 404, whatever the method`, ...['GET', 'POST'].map((method) => ask(subject, `${method} ${path}?name=Ada`, [status(404)])),
          )),
          row('a 404 has no body', given(404, get('/nope', [noBody]))),
        ],
      },
      {
        heading: 'Other responses given by the framework: 405',
        rows: [
          ...METHODS.map((method) => row(
            `${method} to a GET-only endpoint is 405`, ...[...MAPPED, `${GREETINGS}?name=`].map((target) => ask(subject, `${method} ${target}`, [status(405)])),
          )),
          row('a 405 has no body', ...MAPPED.map((target) => given(405, ask(subject, `POST ${target}`, [noBody])))),
        ],
      },
      {
        heading: 'Authentication',
        rows: [row('credentials and tokens are ignored: a request with wrong ones is answered like any other',
          ...['Authorization: Basic !', 'Authorization: Bearer a.b.c', 'Proxy-Authorization: Basic eDp5', 'Cookie: session=none'].map((field) => get(GREETINGS, [status(200)], [field])))],
      },
    ],
  };
}

function descriptionRows(subject: Subject): Row[] {
  const ofDescription = (method: string, expected: Expectation) => ask(subject, `${method} ${DESCRIPTION}`, [expected]);
  const described = (...expected: Expected) => given(200, ask(subject, `GET ${DESCRIPTION}`, expected));
  switch (subject.environment) {
    case undefined:
      return [{ says: 'in Development the description is there, elsewhere it is not', needs: 'the environment', steps: [] }];
    case 'production':
      return [row('outside Development the description does not exist: 404, whatever the method', ...['GET', 'POST'].map((method) => ofDescription(method, status(404))))];
    case 'development':
      return [
        row('in Development the description is there', ofDescription('GET', status(200))),
        row('the media type of the description is application/json', described(mediaType('application/json'))),
        row('the description is an OpenAPI 3 document', described(matches('openapi', 'a version 3', /^3\.\d+\.\d+$/, undefined, '2.0', 3))),
        row('the description is of GET of the endpoints that it must have and nothing else', described(
          member('paths', `${DESCRIBED_PATHS.join(' and ')} with get`, isDescribedOnly, undefined, {}, { [GREETINGS]: { get: {}, post: {} } }, { [GREETINGS]: { get: {} }, '/health': { get: {} } }),
        )),
        row('the description has no security scheme', described(
          member('components.securitySchemes', 'absent or empty', isAbsentOrEmpty, { key: { type: 'http', scheme: 'basic' } }),
          member('security', 'absent or empty', isAbsentOrEmpty, [{ key: [] }], 'key'),
        )),
        ...METHODS.map((method) => row(`${method} to the description is 405`, ofDescription(method, status(405)))),
        ...DESCRIBED_PATHS.map((path): Row => ({
          ...row(`every reply to GET ${path} in this run fits its schema in the description`, described()),
          review: { of: 'run', text: 'replies that fit their schemas', misfits: (seen) => descriptionMisfits(documentOf(seen, DESCRIPTION), path, seen) },
        })),
      ];
  }
}

// The places where RFC 9110 is published have different anchors for this section.
function isUriOfBadRequest(value: unknown): boolean {
  return isString(value) && URL.canParse(value) && /rfc9110.*(?:15\.5\.1$|status\.400|400-bad-request)/i.test(value);
}

function isMessages(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isString);
}

function isDescribedOnly(paths: unknown): boolean {
  return isObject(paths) && Object.keys(paths).sort().join() === DESCRIBED_PATHS.toSorted().join()
    && Object.values(paths).every((path) => Object.keys(Object(path)).filter((name) => METHODS_OF_A_PATH.includes(name)).join() === 'get');
}

const METHODS_OF_A_PATH = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

function isAbsentOrEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) ? value : Object.keys(isObject(value) ? value : { wrong: value })).length === 0;
}

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
