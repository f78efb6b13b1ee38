// Servers on node:http and node:https with limits, and with an answer to everything that can arrive.
import type { Server as NodeServer, ServerOptions as NodeServerOptions } from 'node:http';
import type { Server as NodeSecureServer } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import { connectionOf, latestUnsent, refuse } from './connection.ts';
import { createExchange, type Answer, type ExchangeOptions } from './exchange.ts';
import { ByteResponse, http, IncomingRequest } from './node-http.ts';
import { trackSockets, type OpenSockets } from './open-sockets.ts';
import { replyToParserError } from './parser-error.ts';
import { route, type Routes } from './router.ts';

export type ServerOptions = ExchangeOptions & {
  /** How long a connection may be idle between two requests, in milliseconds. */
  readonly keepAliveTimeoutMs: number;
};

const LIMITS = {
  // A head is a few hundred bytes: 10 s is ample on the slowest link, and short for those who send a
  // byte at a time to hold connections (Slowloris). Content is 64 KiB at most: 5 s more.
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000, // the time-outs above are as exact as this
  maxHeaderSize: 16 * 1024, // node's default, kept even when a flag changes that
} satisfies NodeServerOptions;

export type Server = NodeServer<typeof IncomingRequest, typeof ByteResponse>;
export type SecureServer = NodeSecureServer<typeof IncomingRequest, typeof ByteResponse>;
export type TrackedServer<S> = OpenSockets & { readonly listener: S };

/** A server, not yet listening, that answers by `routes`, or by `answer` whatever node's parser can read. */
export function createServer(routes: Routes, options: ServerOptions, answer = answerBy(routes)): TrackedServer<Server> {
  return prepare(http.createServer(nodeOptions(options)), answer, routes, options);
}

/** The same over TLS, with the key pair in `secureContext`; its `setSecureContext` takes another one. */
export function createSecureServer(routes: Routes, options: ServerOptions, secureContext: SecureContextOptions): TrackedServer<SecureServer> {
  const https = process.getBuiltinModule('node:https'); // not before it is needed: it takes time to load
  const handshakeTimeout = LIMITS.headersTimeout;
  const server = https.createServer({ ...nodeOptions(options), ...secureContext, handshakeTimeout });
  return prepare(server, answerBy(routes), routes, options);
}

function nodeOptions({ keepAliveTimeoutMs }: ServerOptions): NodeServerOptions<typeof IncomingRequest, typeof ByteResponse> {
  return {
    ...LIMITS,
    // A request under way has this long; from there on looking for idle connections is enough.
    keepAliveTimeout: keepAliveTimeoutMs < LIMITS.requestTimeout ? keepAliveTimeoutMs : 0,
    requireHostHeader: false, // checked with the other rules, and refused as they are
    IncomingMessage: IncomingRequest,
    ServerResponse: ByteResponse,
    optimizeEmptyRequests: true, // node 24.12: no stream is set up for a request without content
  };
}

function answerBy(routes: Routes): Answer {
  return (request) => route(routes, request.method, request.path)(request);
}

function prepare<S extends Server | SecureServer>(server: S, answer: Answer, routes: Routes, options: ServerOptions): TrackedServer<S> {
  const { onRequest, onConnect } = createExchange(answer, options);
  server.maxHeadersCount = 0; // no limit of node's own: it would drop lines, and a second Host with them
  server.on('request', onRequest);
  server.on('checkContinue', onRequest); // no 100: nobody wants the content
  server.on('checkExpectation', onRequest);
  server.on('connect', onConnect);
  server.on('clientError', (error, socket) => {
    const connection = connectionOf(socket);
    if (connection.isClosing) return;
    const reply = replyToParserError(error, (method, path) => route(routes, method, path)({ query: '', traceId: '' }));
    if (reply === undefined) {
      socket.destroy();
      return;
    }
    options.reportRefusal(reply.status);
    const { reading, queued } = connection;
    if (reading?.req.complete === false) {
      // The content that is being read is malformed.
      reading.statusCode = reply.status;
      refuse(socket, reply, queued);
    } else {
      // What follows the requests so far is.
      options.observer?.unparsed(socket, reply.status);
      refuse(socket, reply, latestUnsent(connection));
    }
  });
  return { listener: server, ...trackSockets(server, Math.max(options.keepAliveTimeoutMs, LIMITS.requestTimeout)) };
}
