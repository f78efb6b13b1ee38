// Servers on node:http and node:https: their limits, and what they are made of.
import type { Server as NodeServer, ServerOptions as NodeServerOptions, ServerResponse } from 'node:http';
import type { Server as NodeSecureServer } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import { trackConnections, type Connections } from './connections.ts';
import { IncomingRequest } from './incoming-request.ts';
import { addListeners, type ListenerOptions } from './listeners.ts';
import { http } from './node-http.ts';
import type { Handler } from './reply.ts';

export type ServerOptions = ListenerOptions & {
  /** Connections at once. */
  readonly maxConnections: number;
  /** How long a connection may be idle, in milliseconds. */
  readonly keepAliveTimeoutMs: number;
  /** Limits that tests make narrower. */
  readonly limits?: Partial<Limits>;
};

const LIMITS = {
  // A head is a few hundred bytes: 10 s is ample on the slowest link, and short for those who send a
  // byte at a time to hold connections (Slowloris). Content is 64 KiB at most: 5 s more.
  headMs: 10_000,
  requestMs: 15_000,
  unreadMs: 15_000, // as long as a request may take, its reply may take
  lingerMs: 1_000,
  silentMs: 250,
  sweepMs: 1_000, // the times above are as exact as this, except silentMs
  maxBacklog: 5_000, // replies that wait for their turn: measured 7 KiB each, and up to 2,700 of one connection
};

export type Limits = { readonly [name in keyof typeof LIMITS]: number };

type ResponseClass = typeof ServerResponse<IncomingRequest>;
export type Server = NodeServer<typeof IncomingRequest, ResponseClass>;
export type SecureServer = NodeSecureServer<typeof IncomingRequest, ResponseClass>;
export type TrackedServer<S> = Omit<Connections, 'of'> & { readonly listener: S };

/** A server, not yet listening, whose requests are answered by `handler`. */
export function createServer(handler: Handler, options: ServerOptions): TrackedServer<Server> {
  return prepare(http.createServer(nodeOptions(options)), handler, options);
}

/** The same over TLS, with the key pair in `secureContext`; its `setSecureContext` takes another one. */
export function createSecureServer(handler: Handler, options: ServerOptions, secureContext: SecureContextOptions): TrackedServer<SecureServer> {
  const https = process.getBuiltinModule('node:https'); // not before it is needed: it takes time to load
  const handshakeTimeout = limitsOf(options).headMs;
  return prepare(https.createServer({ ...nodeOptions(options), ...secureContext, handshakeTimeout }), handler, options);
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
    keepAliveTimeout: 0, // one look at all connections in a second is cheaper than a timer of node's for each reply
    maxHeaderSize: 16 * 1024, // node's default, kept even when a flag changes that
    insecureHTTPParser: false, // the same: --insecure-http-parser would let bare line feeds and NUL in
    requireHostHeader: false, // checked with the other rules, and refused as they are
    IncomingMessage: IncomingRequest,
    optimizeEmptyRequests: true, // node 24.12: no stream is set up for a request without content
  };
}

function prepare<S extends Server | SecureServer>(server: S, handler: Handler, options: ServerOptions): TrackedServer<S> {
  server.maxHeadersCount = 0; // no limit of node's own: it would drop lines, and a second Host with them
  const { keepAliveTimeoutMs, maxConnections, reports } = options;
  const connections = trackConnections(server, { ...limitsOf(options), idleMs: keepAliveTimeoutMs, maxConnections }, reports);
  addListeners(server, connections, handler, options);
  return { listener: server, ...connections };
}
