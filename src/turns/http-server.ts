// The `http.Server` whose connections are valves: each response tells its valve when the next request may pass.
import type { RequestListener, Server, ServerOptions } from 'node:http';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { Valve } from './valve.ts';

// By `require`: an `import` would load all that the module exports, even a client with WebSockets (10 to 15 MiB on Node
// 22 to 26, nothing on 20: nodejs/node#59686), and hide it from instrumentation, such as that of OpenTelemetry.
const http: typeof import('node:http') = createRequire(import.meta.url)('node:http');

/** As `http.createServer`. While `isStopping`, a reply is the last on its connection, unless more has arrived. */
export function createHttpServer(
  options: ServerOptions, isStopping: () => boolean, handler?: RequestListener, acceptTls?: (socket: Socket) => void,
): Server {
  // Node makes it at the end of each head. It has the name of Node's, which some tools look at.
  class ServerResponse extends (options.ServerResponse ?? http.ServerResponse) {
    constructor(...args: ConstructorParameters<typeof http.ServerResponse>) {
      super(...args);
      const { socket } = this.req;
      if (!(socket instanceof Valve)) return;
      socket.passage.pieces.endHead(this.req);
      this.on('close', () => socket.passage.answered());
    }

    override writeHead(...args: unknown[]): this { // Node calls it, too
      const { socket } = this.req;
      const isLast = isStopping() && !(socket instanceof Valve && socket.passage.hasMore());
      if (isLast && !this.headersSent) this.setHeader('Connection', 'close');
      return Reflect.apply(super.writeHead, this, args);
    }
  }
  const server = http.createServer({ ...options, ServerResponse }, handler);
  const emit = server.emit.bind(server);
  server.emit = (name: string, ...args: unknown[]) => {
    const [first, socket] = args;
    if (name === 'connection' && acceptTls !== undefined && !(first instanceof Valve)) { // emitted by somebody else
      acceptTls(Object(first));
      return true;
    }
    if (!(socket instanceof Valve)) return emit(name, ...args);
    if (name === 'upgrade' || name === 'connect') args[2] = socket.passage.takeOver(); // Node has got the head alone
    const code = name === 'clientError' ? String(Object(first).code) : '';
    if (code.startsWith('HPE_')) socket.passage.clear();
    const again = () => server.emit(name, ...args) || socket.destroy();
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.passage.excuse(again)) return true;
    return emit(name, ...args);
  };
  return server;
}
