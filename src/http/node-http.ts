// What is used of `node:http`. An `import` would load all that the module exports, even a client with WebSockets
// (4 MiB: nodejs/node#59686), and hide it from instrumentation, such as that of OpenTelemetry, which waits for `require`.
import { createRequire } from 'node:module';

const http: typeof import('node:http') = createRequire(import.meta.url)('node:http');
export const { STATUS_CODES, validateHeaderName, validateHeaderValue } = http;
