// The rows of the specification: what any implementation must do. Sections have the names of the document, and what it
// leaves open (wording of messages, order of fields, further fields, connections) is open here, too.
import { inside, misfits } from '../../support/schema.ts';
import { asking, DESCRIPTION, GREETINGS, MAX, row, words } from './row.ts';
import type { Expected, Got, Sections, Subject } from './row.ts';

const METHODS = words('HEAD OPTIONS POST PUT PATCH DELETE TRACE');
const UNMAPPED = words('/ /nope /api /health/live /api/greetings/Ada /openapi /openapi/v2.json /v1/health');
const CREDENTIALS = ['Authorization: Basic !', 'Authorization: Bearer a', 'Proxy-Authorization: a', 'Cookie: a=b'];
const TOO_LONG = `?name=${'a'.repeat(MAX + 1)}`;
const PROBLEM = 'application/problem+json';
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?\+00:00$/; // such as 2026-11-20T10:15:30.123+00:00
// The places where RFC 9110 is published have different anchors for this section.
const URI_OF_BAD_REQUEST = /^[a-z][a-z\d+.-]*:.*rfc9110.*(?:15\.5\.1$|status\.400|400-bad-request)/i;
const UNEXPECTED = { title: 'An unexpected error occurred.', detail: 'Contact support if the problem persists.' };
// In JSON Schema: messages; nothing in an object or an array; the greetings with GET and no other path or method.
const MESSAGES = { type: 'array', minItems: 1, items: { type: 'string' } };
const EMPTY = { additionalProperties: false, items: false };
const NO_OTHERS = Object.fromEntries(METHODS.map((method) => [method.toLowerCase(), false]));
const GET_ALONE = { type: 'object', required: ['get'], properties: NO_OTHERS };
const DESCRIBED = { type: 'object', required: [GREETINGS], properties: { [GREETINGS]: GET_ALONE }, ...EMPTY };

/** The message of the exception for the rows that need one. */
export const EXCEPTION_TEXT = 'the clock stopped';

export function specification({ authority, environment }: Subject): Sections {
  const { ask, unmapped, greets, refuses } = asking(authority);
  const refusals = (expected: Expected) =>
    ['?name=', TOO_LONG].map((query) => ask(`GET ${GREETINGS}${query}`, { status: 400, ...expected }));
  const traceIds: unknown[] = []; // that have come; {} for none
  const areDifferent = ({ json }: Got) => traceIds.push(inside(json, 'traceId') ?? {}) === new Set(traceIds).size;
  const ofNewTrace = { also: { 'a traceId that differs each time': areDifferent } };
  const mapped = ['/health', GREETINGS, ...(environment === 'development' ? [DESCRIPTION] : [])];

  return {
    'GET /health': [row('the reply', ask('GET /health', { status: 200, type: 'text/plain', body: 'Healthy' }))],
    'GET /api/greetings': [
      ...greets({ '': 'World', '?': 'World', '?other=Ada': 'World', '?name=A': 'A', '?name=%20A%20%20B%20': 'A  B' }),
      ...greets({ [`?name=${'a'.repeat(MAX)}`]: 'a'.repeat(MAX), '?name=J%C3%BCrgen%20%E6%9D%8E': 'Jürgen 李' }),
      ...greets({ '?name=%22%5C%22%27%0D%0Ab%1Bc': '"\\"\'\r\nb\u001bc', '?name=%3Cb%3E%26amp;': '<b>&amp;' }),
      ...refuses('?name=', TOO_LONG),
    ],
    'GreetingResponse (body of a successful greeting)': [
      row('JSON in UTF-8, with the time of the request in ISO 8601', ask(`GET ${GREETINGS}`, {
        status: 200,
        type: 'application/json; charset=utf-8',
        json: { generatedAt: TIMESTAMP },
        also: { 'generatedAt is the time of the request, to 5 seconds': isOfRequest },
      })),
    ],
    'Validation problem document (body of a 400)': [
      row('it points to RFC 9110, and maps name to messages', ...refusals({
        type: PROBLEM,
        json: { type: URI_OF_BAD_REQUEST, title: /\S/, status: 400 },
        also: {
          'errors.name is an array of strings, at least one': fits(MESSAGES, 'errors', 'name'),
          'traceId is a string or absent': ({ json }) => /string|undefined/.test(typeof inside(json, 'traceId')),
        },
      })),
      row('traceId, if there is one, differs each time', ...refusals(ofNewTrace), ...refusals(ofNewTrace)),
    ],
    'Unexpected-error problem document (body of a 500)': [
      row('it tells nothing of the exception', ask(`GET ${GREETINGS}?name=Ada`, {
        status: 500,
        type: PROBLEM,
        json: { status: 500, ...UNEXPECTED, instance: GREETINGS },
        also: { 'no exception type, message or stack trace': (got) => !isTelling(got) },
      })),
      ...refuses('?name='), // "the handler logic is not run when validation fails", and so throws nothing
    ].map((one) => ({ ...one, needs: 'an exception' })),
    'GET /openapi/v1.json': environment === 'production' ? [unmapped(DESCRIPTION)] : [
      row('an OpenAPI 3 document of GET alone, without security', ask(`GET ${DESCRIPTION}`, {
        status: 200,
        type: 'application/json',
        json: { openapi: /^3\.\d+\.\d+$/ },
        also: {
          'the paths that are described, with get alone': fits(DESCRIBED, 'paths'),
          'no security schemes': fits(EMPTY, 'components', 'securitySchemes'),
          'no security': fits(EMPTY, 'security'),
        },
      })),
    ],
    'Other responses given by the framework: 404': UNMAPPED.map(unmapped),
    'Other responses given by the framework: 405': METHODS.map((method) =>
      row(method, ...mapped.map((path) => ask(`${method} ${path}`, { status: 405, body: '' })))),
    'Authentication: none': CREDENTIALS.map((line) => row(line, ask(`GET ${GREETINGS}`, { status: 200 }, line))),
  };
}

function isOfRequest({ json, sentAt }: Got): boolean {
  const time = Date.parse(String(inside(json, 'generatedAt')));
  return time >= sentAt - 5_000 && time <= Date.now() + 5_000; // two clocks may differ
}

const isTelling = ({ body }: Got) => body.includes(EXCEPTION_TEXT) || /Error|\bat .*:\d|\.[jt]s\b/.test(body);

const fits = (schema: object, ...at: readonly string[]) => ({ json }: Got) =>
  misfits(schema, inside(json, ...at)).length === 0;
