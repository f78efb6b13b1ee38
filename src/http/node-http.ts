// The values of `node:http`. An `import` would load all that it exports, even a WebSocket client (nodejs/node#59686: 4
// MiB, and a third of the start), and hide it from instrumentation such as OpenTelemetry's, which waits for `require`.
import { createRequire } from 'node:module';

const nodeHttp: typeof import('node:http') = createRequire(import.meta.url)('node:http');
export const { OutgoingMessage, STATUS_CODES } = nodeHttp;
