// The rows of the specification: what any implementation must do. Sections have the names of the document. What it
// leaves open (wording of messages, order of fields, further fields, dates, connections) is open here as well. The
// exact bytes beside each row are those of this project's service, and only `npm test` compares them.
import { CONSTANT_ENDPOINTS, DESCRIBED, DESCRIBED_PATHS, DESCRIPTION, GREETINGS } from './endpoints.ts';
import * as exact from './exact.ts';
import { body, isObject, isString, mediaType, member, memberIs, message, noBody, status, timeOfRequest, type Expectation } from './expectation.ts';
import { MAX_NAME_LENGTH } from './limits.ts';
import { listedValues } from './listed-values.ts';
import { descriptionMisfits, documentOf } from './openapi.ts';
import type { Reply } from './reply.ts';
import { ask, given, type Expected, type Part, type Row, type Section, type Seen, type Subject } from './row.ts';

const EMPTY = `${GREETINGS}?name=`;
const TOO_LONG = `${GREETINGS}?name=${'a'.repeat(MAX_NAME_LENGTH + 1)}`;
const MAPPED = [...CONSTANT_ENDPOINTS.map(({ path }) => path), GREETINGS];
const methods = ['HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];

/** `described` has the parameters whose listed values are tried. */
export function specification(subject: Subject, described = DESCRIBED): Part {
  const get = (target: string, expected: Expected, bytes: string | undefined, fields: readonly string[] = []) =>
    ask(subject, `GET ${target}`, expected, bytes, fields);
  const greeted = (target: string, expected: Expected, name = 'World') => get(target, expected, exact.greeting(`Hello, ${name}!`));
  const tooShort = (...expected: Expected) => get(EMPTY, expected, exact.invalid({ name: exact.TOO_SHORT }));
  const tooLong = (...expected: Expected) => get(TOO_LONG, expected, exact.invalid({ name: exact.tooLong(MAX_NAME_LENGTH + 1) }));
  const bothRefusals = (...expected: Expected) => [given(400, tooShort(...expected)), given(400, tooLong(...expected))];
  const failing = (says: string, ...expected: Expected): Row => ({
    says, needs: 'an exception', steps: [get(`${GREETINGS}?name=Ada`, expected, exact.failed(GREETINGS))],
  });
  const failed = (says: string, ...expected: Expected): Row => {
    const { steps, ...row } = failing(says, ...expected);
    return { ...row, steps: steps.map((step) => given(500, step)) };
  };

  return {
    name: 'specification',
    sections: [
      ...CONSTANT_ENDPOINTS.map((endpoint): Section => {
        const getIt = (expected: Expectation) => get(endpoint.path, [expected], exact.constant(endpoint));
        return {
          heading: `GET ${endpoint.path}`,
          rows: [
            { says: `the status of ${endpoint.path} is 200`, steps: [getIt(status(200))] },
            { says: `the media type of ${endpoint.path} is ${endpoint.mediaType}`, steps: [given(200, getIt(mediaType(endpoint.mediaType)))] },
            { says: `the body of ${endpoint.path} is ${endpoint.body}`, steps: [given(200, getIt(body(endpoint.body)))] },
          ],
        };
      }),
      {
        heading: 'GET /api/greetings',
        rows: [
          { says: 'without a name the world is greeted', steps: [greeted(GREETINGS, [status(200), message('World')])] },
          { says: 'an empty query has no name, so the world is greeted', steps: [greeted(`${GREETINGS}?`, [status(200), message('World')])] },
          { says: 'a query of something else has no name, so the world is greeted', steps: [greeted(`${GREETINGS}?other=Ada`, [status(200), message('World')])] },
          ...names.map(([says, query, name = query]): Row => ({
            says, steps: [greeted(`${GREETINGS}?name=${query}`, [status(200), message(name)], name)],
          })),
          { says: 'an empty name is refused with 400', steps: [tooShort(status(400))] },
          { says: `a name of ${MAX_NAME_LENGTH + 1} characters is refused with 400`, steps: [tooLong(status(400))] },
          {
            says: `a name of ${MAX_NAME_LENGTH * 10} characters is refused with 400`,
            steps: [get(`${GREETINGS}?name=${'a'.repeat(MAX_NAME_LENGTH * 10)}`, [status(400)], exact.invalid({ name: exact.tooLong(MAX_NAME_LENGTH * 10) }))],
          },
          { says: 'the media type of a greeting is application/json; charset=utf-8', steps: [given(200, greeted(GREETINGS, [mediaType('application/json; charset=utf-8')]))] },
        ],
      },
      ...listedValues(subject, described),
      {
        heading: 'GreetingResponse (body of a successful greeting)',
        rows: [
          { says: 'message is a string', steps: [given(200, greeted(GREETINGS, [member('message', 'a string', isString)]))] },
          {
            says: 'generatedAt is an ISO 8601 timestamp with the offset +00:00',
            steps: [given(200, greeted(GREETINGS, [member('generatedAt', 'a timestamp such as 2026-11-20T10:15:30.123+00:00', isTimestamp)]))],
          },
          { says: 'generatedAt is the time of the request', steps: [given(200, greeted(GREETINGS, [timeOfRequest]))] },
        ],
      },
      {
        heading: 'Validation problem document (body of a 400)',
        rows: [
          { says: 'the media type of a 400 is application/problem+json', steps: bothRefusals(mediaType('application/problem+json')) },
          { says: 'type of a 400 points to the section of RFC 9110 on 400', steps: bothRefusals(member('type', 'a URI of RFC 9110, 15.5.1', isUriOfBadRequest)) },
          { says: 'title of a 400 is a string that is not empty', steps: bothRefusals(member('title', 'a string that is not empty', isText)) },
          { says: 'status in a 400 is the number 400', steps: bothRefusals(memberIs('status', 400)) },
          { says: 'errors of a 400 maps name to messages', steps: bothRefusals(member('errors.name', 'an array of strings, at least one', isMessages)) },
          {
            says: 'traceId, where there is one, is a string that differs on every request',
            steps: Array.from({ length: 10 }, () => bothRefusals(member('traceId', 'a string or absent', (id) => id === undefined || isString(id)))).flat(),
            review: { of: 'row', text: 'a traceId that differs on every request', misfits: repeatedTraceIds },
          },
        ],
      },
      {
        heading: 'Unexpected-error problem document (body of a 500)',
        rows: [
          failing('an exception is answered with 500', status(500)),
          failed('the media type of a 500 is application/problem+json', mediaType('application/problem+json')),
          failed('status in a 500 is the number 500', memberIs('status', 500)),
          failed('title of a 500 says that an unexpected error occurred', memberIs('title', 'An unexpected error occurred.')),
          failed('detail of a 500 says to contact support', memberIs('detail', 'Contact support if the problem persists.')),
          failed('instance of a 500 is the path of the request', memberIs('instance', GREETINGS)),
          failed('a 500 has no information on the exception', { text: `nothing of the exception (${EXCEPTION_TEXT})`, holds: tellsNothing }),
          // "The handler logic is not run when validation fails" and "a 400 does not pass through the 500 handler".
          { says: 'a name that is refused is never passed to the code that throws', needs: 'an exception', steps: [tooShort(status(400))] },
        ],
      },
      { heading: 'GET /openapi/v1.json', rows: descriptionRows(subject) },
      {
        heading: 'Other responses given by the framework: 404',
        rows: [
          ...['/', '/nope', '/api', '/health/live', '/api/greetings/Ada', '/openapi', '/openapi/v2.json', '/v1/health', '/favicon.ico'].map((path): Row => ({
            says: `${path} is not mapped: 404, whatever the method`,
            steps: ['GET', 'POST'].map((method) => ask(subject, `${method} ${path}?name=Ada`, [status(404)], exact.empty(404))),
          })),
          { says: 'a 404 has no body', steps: [given(404, get('/nope', [noBody], exact.empty(404)))] },
        ],
      },
      {
        heading: 'Other responses given by the framework: 405',
        rows: [
          ...methods.map((method): Row => ({
            says: `${method} to a GET-only endpoint is 405`,
            steps: [...MAPPED, EMPTY].map((target) => ask(subject, `${method} ${target}`, [status(405)], exact.empty(405))),
          })),
          { says: 'a 405 has no body', steps: MAPPED.map((target) => given(405, ask(subject, `POST ${target}`, [noBody], exact.empty(405)))) },
        ],
      },
      {
        heading: 'Authentication',
        rows: [
          {
            says: 'credentials and tokens are ignored: a request with wrong ones is answered like any other',
            steps: ['Authorization: Basic !', 'Authorization: Bearer a.b.c', 'Proxy-Authorization: Basic eDp5', 'Cookie: session=none'].map((credentials) =>
              get(GREETINGS, [status(200)], exact.greeting('Hello, World!'), [credentials])),
          },
        ],
      },
    ],
  };
}

// Without a third entry, the expected name is the same as in the query. Only the space is used as white space: other
// cases, which the specification leaves open, are in the decisions.
const names: readonly (readonly [says: string, query: string, name?: string])[] = [
  ['a name is greeted', 'Ada'],
  ['a name of one character is greeted', 'A'],
  [`a name of ${MAX_NAME_LENGTH} characters is greeted`, 'a'.repeat(MAX_NAME_LENGTH)],
  ['spaces around a name are trimmed', '%20%20Ada%20', 'Ada'],
  ['spaces within a name stay', 'Ada%20%20Lovelace', 'Ada  Lovelace'],
  ['a name outside ASCII is greeted in UTF-8', 'J%C3%BCrgen%20%E6%9D%8E', 'Jürgen 李'],
  ['quotes and backslashes are escaped in JSON', '%22%5C%22%27', '"\\"\''],
  ['control characters are escaped in JSON', 'a%0D%0Ab%1Bc', 'a\r\nb\u001bc'],
  ['markup in a name stays unchanged', '%3Cscript%3Ealert(1)%3C/script%3E', '<script>alert(1)</script>'],
];

function descriptionRows(subject: Subject): Row[] {
  const described = (...expected: Expected) => [given(200, ask(subject, `GET ${DESCRIPTION}`, expected, undefined))];
  switch (subject.environment) {
    case undefined:
      return [{ says: 'in Development the description is there, elsewhere it is not', needs: 'the environment', steps: [] }];
    case 'production':
      return [{
        says: 'outside Development the description does not exist: 404, whatever the method',
        steps: ['GET', 'POST'].map((method) => ask(subject, `${method} ${DESCRIPTION}`, [status(404)], exact.empty(404))),
      }];
    case 'development':
      return [
        { says: 'in Development the description is there', steps: [ask(subject, `GET ${DESCRIPTION}`, [status(200)], undefined)] },
        { says: 'the media type of the description is application/json', steps: described(mediaType('application/json')) },
        { says: 'the description is an OpenAPI 3 document', steps: described(member('openapi', 'a version 3', (version) => isString(version) && /^3\.\d+\.\d+$/.test(version))) },
        { says: 'the description is of GET of the endpoints that it must have and nothing else', steps: described(member('paths', `${DESCRIBED_PATHS.join(' and ')} with get`, isDescribedOnly)) },
        {
          says: 'the description has no security scheme',
          steps: described(
            member('components.securitySchemes', 'absent or empty', isAbsentOrEmpty),
            member('security', 'absent or empty', isAbsentOrEmpty),
          ),
        },
        ...methods.map((method): Row => ({
          says: `${method} to the description is 405`, steps: [ask(subject, `${method} ${DESCRIPTION}`, [status(405)], exact.empty(405))],
        })),
        ...DESCRIBED_PATHS.map((path): Row => ({
          says: `every reply to GET ${path} in this run fits its schema in the description`,
          steps: described(),
          review: { of: 'run', text: 'replies that fit their schemas', misfits: (seen) => descriptionMisfits(documentOf(seen, DESCRIPTION), path, seen) },
        })),
      ];
  }
}

function isTimestamp(value: unknown): boolean {
  return isString(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?\+00:00$/.test(value);
}

// The places where RFC 9110 is published have different anchors for this section.
function isUriOfBadRequest(value: unknown): boolean {
  return isString(value) && URL.canParse(value) && /rfc9110.*(?:15\.5\.1$|status\.400|400-bad-request)/i.test(value);
}

function isText(value: unknown): boolean {
  return isString(value) && value.trim() !== '';
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

function tellsNothing(reply: Reply): boolean {
  return !reply.body.includes(EXCEPTION_TEXT) && !/Error|\bat .*:\d+|\.[jt]s\b/.test(reply.body);
}
