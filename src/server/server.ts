// A server: a listener for connections, and a server of node:http that never listens, and only makes responses.
import net, { type Server as NodeServer, type Socket } from 'node:net';
import { Connection } from './connection.ts';
import { createConnections } from './connections.ts';
import { LIMITS, type Limits } from './limits.ts';
import { http } from './node-http.ts';
import { ResponseStream } from './response-stream.ts';
import type { Service } from './send.ts';

export type ServerOptions = Service & {
  readonly maxConnections: number; // how many connections may be open at once
  readonly keepAliveTimeoutMs: number; // how long a connection may be idle, in milliseconds
  readonly limits?: Partial<Limits>; // limits that tests make narrower
};

/** A server and its connections. `nodeServer` accepts connections when it is told to listen. */
export type Server = { readonly nodeServer: NodeServer } & Omit<ReturnType<typeof createConnections>, 'makeRoom' | 'add'>;

/** A server, not yet listening. `secure` puts TLS on an accepted socket. */
export function createServer(options: ServerOptions, secure = (carrier: Socket): Socket => carrier): Server {
  const limits = { ...LIMITS, idleMs: options.keepAliveTimeoutMs, ...options.limits };
  const responder = createResponder();
  // Half open: a client may end its side and still read. A paused socket takes at most one read more, because `highWaterMark` is 0.
  const nodeServer = net.createServer({ allowHalfOpen: true, noDelay: true, highWaterMark: 0 });
  const connections = createConnections(nodeServer, options.maxConnections, limits, options.reports);

  nodeServer.on('connection', (carrier) => {
    if (!connections.makeRoom(carrier.remoteAddress)) { carrier.destroy(); return; }
    const socket = secure(carrier);
    const connection = new Connection(socket, carrier.remoteAddress, options);
    connections.add(connection, socket);
    responder.emit('connection', connection.stream); // https://nodejs.org/api/http.html#event-connection
  });

  return { nodeServer, ...connections };
}

// Makes the response for each request that a `ResponseStream` has asked for.
function createResponder() {
  return http.createServer({
    keepAliveTimeout: 0, // the time limits are in limits.ts
    requireHostHeader: false,
    optimizeEmptyRequests: true, // node 24.12 and later. Faster: no stream for a request without content, 0.06 of a bare server
  }, ({ socket }, response) => { if (socket instanceof ResponseStream) socket.respond(response); });
}
