// A server: a listener for connections, and a server of node:http that never listens and only parses what these give to it.
import type { Server as NodeServer } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { Handler } from '../http/reply.ts';
import { MAX_HEAD_BYTES, MAX_HEADER_LINES } from '../http/request-head.ts';
import { Connection } from './connection.ts';
import { createConnections } from './connections.ts';
import { IncomingRequest } from './incoming-request.ts';
import { LIMITS, type Limits } from './limits.ts';
import { addRequestListeners, type RequestOptions } from './requests.ts';
import { secure } from './tls.ts';

const http = process.getBuiltinModule('node:http');
const net = process.getBuiltinModule('node:net');

export type ServerOptions = RequestOptions & {
  /** How many connections may be open at once. */
  readonly maxConnections: number;
  /** How long a connection may be idle, in milliseconds. */
  readonly keepAliveTimeoutMs: number;
  /** Limits that tests make narrower. */
  readonly limits?: Partial<Limits>;
};

/** A server and its connections. `nodeServer` accepts connections when it is told to listen. */
export type Server = { readonly nodeServer: NodeServer } & Pick<ReturnType<typeof createConnections>, 'stopListening' | 'close' | 'closeAll'>;

/**
 * A server, not yet listening, whose requests are answered by `handler`. With `secureContext`, which is called for each
 * connection, it speaks TLS.
 */
export function createServer(handler: Handler, options: ServerOptions, secureContext?: () => SecureContext): Server {
  const limits = { ...LIMITS, idleMs: options.keepAliveTimeoutMs, ...options.limits };
  const parser = createParser();
  const reject = addRequestListeners(parser, handler, options);
  // Half open: a client may end its side and still read. While a socket is paused, node reads no more than `highWaterMark`.
  const nodeServer = net.createServer({ allowHalfOpen: true, noDelay: true, highWaterMark: 0 });
  const connections = createConnections(nodeServer, options.maxConnections, limits, options.reports);

  nodeServer.on('connection', (carrier) => {
    if (!connections.makeRoom()) {
      carrier.destroy();
      return;
    }
    const secureSocket = secureContext && secure(carrier, secureContext(), limits);
    const socket = secureSocket?.socket ?? carrier;
    const connection = new Connection(socket, reject);
    connections.add(connection, socket, secureSocket);
    parser.emit('connection', connection); // https://nodejs.org/api/http.html#event-connection
  });

  return { nodeServer, ...connections };
}

function createParser() {
  const parser = http.createServer({
    IncomingMessage: IncomingRequest,
    keepAliveTimeout: 0, // the time limits are in connection.ts
    maxHeaderSize: MAX_HEAD_BYTES, // node's default, kept even when a flag changes that
    insecureHTTPParser: false, // also whatever a flag says: --insecure-http-parser would accept bare line feeds and NUL
    requireHostHeader: false, // checked in request-head.ts, with the other rules
    optimizeEmptyRequests: true, // node 24.12 and later. Faster: no stream for a request without content, 0.06 of a bare server
  });
  // Without this limit, an unfinished head may have 16,000 lines in memory. Of more lines, node 20 keeps the first 101, which
  // parseHead refuses; later versions refuse the head themselves.
  parser.maxHeadersCount = MAX_HEADER_LINES + 1;
  return parser;
}
