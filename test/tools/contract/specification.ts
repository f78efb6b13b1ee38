// The rows of the specification: what any implementation must do. Sections have the names of the document, and what it
// leaves open (wording of messages, order of fields, further fields, connections) is open here, too.
import { isDeepStrictEqual } from 'node:util';
import { EXAMPLES, specified } from './api.ts';
import { asking, DESCRIPTION, inside, row, words, type Sections, type Subject } from './row.ts';

const METHODS = words('GET HEAD OPTIONS POST PUT PATCH DELETE TRACE');
const othersThan = (methods: readonly string[]) => METHODS.filter((method) => !methods.includes(method));
const UNMAPPED = words('/ /nope /api /health/live /openapi /openapi/v2.json /v1/health');
const CREDENTIALS = ['Authorization: Basic !', 'Authorization: Bearer a', 'Proxy-Authorization: a', 'Cookie: a=b'];
// The methods of each path: of the API, and of a description, which may say more of a path.
const OF_API = Object.fromEntries(Object.entries(EXAMPLES).map(([path, { methods }]) => [path, methods.toSorted()]));
const describedIn = (paths: unknown) => Object.fromEntries(Object.entries(Object(paths))
  .map(([path, item]) => [path, METHODS.filter((method) => inside(item, method.toLowerCase()) !== undefined).sort()]));
const areThoseOfApi = (paths: unknown) => isDeepStrictEqual(describedIn(paths), OF_API);
const isEmpty = (value: unknown) => Object.keys(Object(value)).length === 0; // or absent

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
        json: {
          openapi: /^3\.\d+\.\d+$/, paths: areThoseOfApi, security: isEmpty, 'components.securitySchemes': isEmpty,
        },
      })),
    ],
    'Other responses given by the framework: 404': UNMAPPED.map(unmapped),
    'Other responses given by the framework: 405': mapped.map(({ target, methods }) =>
      row(target, ...othersThan(methods).map((method) => ask(`${method} ${target}`, { status: 405, body: '' })))),
    'Authentication: none': withGet.map(({ target, status = 200 }) =>
      row(target, ...CREDENTIALS.map((line) => ask(`GET ${target}`, { status }, line)))),
  };
}
