// Servers on node:http and node:https, with their limits.
import type { Server as NodeServer, ServerOptions as NodeServerOptions, ServerResponse } from 'node:http';
import type { Server as NodeSecureServer } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import { trackConnections, type ConnectionOptions, type Connections } from './connections.ts';
import { IncomingRequest } from './incoming-request.ts';
import { LIMITS, type Limits } from './limits.ts';
import { addListeners, type ListenerOptions } from './listeners.ts';
import { http } from './node-http.ts';
import type { Handler } from './reply.ts';
import { MAX_HEAD_BYTES, MAX_HEADER_LINES } from './request-head.ts';
import { minimizeTlsBuffers } from './tls-buffers.ts';

export type ServerOptions = ListenerOptions & ConnectionOptions & {
  /** Limits that tests make narrower. */
  readonly limits?: Partial<Limits>;
};

type ResponseClass = typeof ServerResponse<IncomingRequest>;
export type Server = NodeServer<typeof IncomingRequest, ResponseClass>;
export type SecureServer = NodeSecureServer<typeof IncomingRequest, ResponseClass>;
export type TrackedServer<S> = Omit<Connections, 'of'> & { readonly nodeServer: S };

/** A server, not yet listening, whose requests are answered by `handler`. */
export function createServer(handler: Handler, options: ServerOptions): TrackedServer<Server> {
  return prepare(http.createServer(nodeOptions(options)), handler, options);
}

/** The same over TLS. `secureContext` has the certificate and its key; `setSecureContext` of the node server replaces them. */
export function createSecureServer(handler: Handler, options: ServerOptions, secureContext: SecureContextOptions): TrackedServer<SecureServer> {
  const https = process.getBuiltinModule('node:https'); // it takes time to load, so it is loaded when it is needed
  const handshakeTimeout = limitsOf(options).headMs;
  const server = https.createServer({ ...nodeOptions(options), ...secureContext, handshakeTimeout });
  minimizeTlsBuffers(server);
  return prepare(server, handler, options);
}

function limitsOf({ limits }: ServerOptions): Limits {
  return { ...LIMITS, ...limits };
}

function nodeOptions(options: ServerOptions): NodeServerOptions<typeof IncomingRequest, ResponseClass> {
  const { headMs, requestMs, sweepMs } = limitsOf(options);
  return {
    headersTimeout: headMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: sweepMs,
    keepAliveTimeout: 0, // time-limits.ts closes idle connections. Faster: no timer for each reply, 0.03 of the floor
    maxHeaderSize: MAX_HEAD_BYTES, // node's default, kept even when a flag changes that
    insecureHTTPParser: false, // also whatever a flag says: --insecure-http-parser would accept bare line feeds and NUL
    requireHostHeader: false, // checked in request-head.ts, with the other rules
    IncomingMessage: IncomingRequest,
    optimizeEmptyRequests: true, // node 24.12 and later. Faster: no stream for a request without content, 0.06 of the floor
  };
}

function prepare<S extends Server | SecureServer>(server: S, handler: Handler, options: ServerOptions): TrackedServer<S> {
  // Without this limit, an unfinished head may have 16,000 lines in memory. When a head has more lines than this limit,
  // later versions of node refuse it with 431. Node 20 keeps the first 101 lines and drops the rest. That does no harm:
  // parseHead sees that there are 101, and refuses the request.
  server.maxHeadersCount = MAX_HEADER_LINES + 1;
  const limits = limitsOf(options);
  const connections = trackConnections(server, limits, options);
  addListeners(server, connections, handler, limits, options);
  return { nodeServer: server, ...connections };
}
