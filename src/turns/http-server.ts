// The `http.Server` whose connections are valves: each response tells its valve when the next request may pass.
import type { RequestListener, Server, ServerOptions } from 'node:http';
import { createRequire } from 'node:module';
import { Valve } from './valve.ts';

// By `require`, because an `import` would load all that the module exports, even a client with WebSockets (4 MiB:
// nodejs/node#59686), and hide it from instrumentation, such as that of OpenTelemetry.
const http: typeof import('node:http') = createRequire(import.meta.url)('node:http');

// Node makes it at the end of each head.
class FairResponse extends http.ServerResponse {
  constructor(...options: ConstructorParameters<typeof http.ServerResponse>) {
    super(...options);
    const { socket } = this.req;
    if (!(socket instanceof Valve)) return;
    socket.pieces.begin(this.req);
    this.on('close', () => socket.answered());
  }
}

/** As `http.createServer`. */
export function createHttpServer(options: ServerOptions, handler?: RequestListener): Server {
  return http.createServer({ ...options, ServerResponse: FairResponse }, handler);
}
