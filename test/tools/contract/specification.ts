// The rows of the specification: what any implementation must do. Sections have the names of the document, and what it
// leaves open (wording of messages, order of fields, further fields, connections) is open here, too.
import { EXAMPLES, specified } from './api.ts';
import { asking, DESCRIPTION, fits, row, words, type Sections, type Subject } from './row.ts';

const PATHS = Object.keys(EXAMPLES);
const TARGETS = Object.values(EXAMPLES);
const METHODS = words('HEAD OPTIONS POST PUT PATCH DELETE TRACE');
const UNMAPPED = words('/ /nope /api /health/live /openapi /openapi/v2.json /v1/health');
const CREDENTIALS = ['Authorization: Basic !', 'Authorization: Bearer a', 'Proxy-Authorization: a', 'Cookie: a=b'];
// In JSON Schema: nothing in an object or an array; the paths of the API with GET and no other path or method.
const EMPTY = { additionalProperties: false, items: false };
const NO_OTHERS = Object.fromEntries(METHODS.map((method) => [method.toLowerCase(), false]));
const GET_ALONE = { type: 'object', required: ['get'], properties: NO_OTHERS };
const WITH_GET = Object.fromEntries(PATHS.map((path) => [path, GET_ALONE]));
const DESCRIBED = { type: 'object', required: PATHS, properties: WITH_GET, ...EMPTY };

export function specification(subject: Subject): Sections {
  const { ask, unmapped } = asking(subject.authority);
  const isDevelopment = subject.environment === 'development';
  const mapped = ['/health', ...TARGETS, ...(isDevelopment ? [DESCRIPTION] : [])];

  return {
    'GET /health': [row('the reply', ask('GET /health', { status: 200, type: 'text/plain', body: 'Healthy' }))],
    ...specified(subject),
    'GET /openapi/v1.json': !isDevelopment ? [unmapped(DESCRIPTION)] : [
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
      row(method, ...mapped.map((target) => ask(`${method} ${target}`, { status: 405, body: '' })))),
    'Authentication: none': CREDENTIALS.map((line) =>
      row(line, ...TARGETS.map((target) => ask(`GET ${target}`, { status: 200 }, line)))),
  };
}
