// The rows of the specification: what any implementation must do. Sections have the names of the document, and what it
// leaves open (wording of messages, order of fields, further fields, connections) is open here, too.
import { EXAMPLES, specified } from './api.ts';
import { asking, DESCRIPTION, fits, row, words, type Sections, type Subject } from './row.ts';

const METHODS = words('GET HEAD OPTIONS POST PUT PATCH DELETE TRACE');
const othersThan = (methods: readonly string[]) => METHODS.filter((method) => !methods.includes(method));
const UNMAPPED = words('/ /nope /api /health/live /openapi /openapi/v2.json /v1/health');
const CREDENTIALS = ['Authorization: Basic !', 'Authorization: Bearer a', 'Proxy-Authorization: a', 'Cookie: a=b'];
// In JSON Schema: nothing in an object or an array; the paths of the API with their methods, and no others.
const EMPTY = { additionalProperties: false, items: false };
const WITH_METHODS = Object.fromEntries(Object.entries(EXAMPLES).map(([path, { methods }]) => [path, {
  type: 'object',
  required: methods.map((method) => method.toLowerCase()),
  properties: Object.fromEntries(othersThan(methods).map((method) => [method.toLowerCase(), false])),
}]));
const DESCRIBED = { type: 'object', required: Object.keys(EXAMPLES), properties: WITH_METHODS, ...EMPTY };

export function specification(subject: Subject): Sections {
  const { ask, unmapped } = asking(subject.authority);
  const isDevelopment = subject.environment === 'development';
  const mapped = [{ target: '/health', methods: ['GET'] }, ...Object.values(EXAMPLES)];
  if (isDevelopment) mapped.push({ target: DESCRIPTION, methods: ['GET'] });
  const withGet = Object.values(EXAMPLES).filter(({ methods }) => methods.includes('GET'));

  return {
    'GET /health': [row('the reply', ask('GET /health', { status: 200, type: 'text/plain', body: 'Healthy' }))],
    ...specified(subject),
    'GET /openapi/v1.json': !isDevelopment ? [unmapped(DESCRIPTION)] : [
      row('an OpenAPI 3 document without security', ask(`GET ${DESCRIPTION}`, {
        status: 200,
        type: 'application/json',
        json: { openapi: /^3\.\d+\.\d+$/ },
        also: {
          'the paths that are described, with their methods alone': fits(DESCRIBED, 'paths'),
          'no security schemes': fits(EMPTY, 'components', 'securitySchemes'),
          'no security': fits(EMPTY, 'security'),
        },
      })),
    ],
    'Other responses given by the framework: 404': UNMAPPED.map(unmapped),
    'Other responses given by the framework: 405': mapped.map(({ target, methods }) =>
      row(target, ...othersThan(methods).map((method) => ask(`${method} ${target}`, { status: 405, body: '' })))),
    'Authentication: none': withGet.map(({ target }) =>
      row(target, ...CREDENTIALS.map((line) => ask(`GET ${target}`, { status: 200 }, line)))),
  };
}
