// What this folder needs of an HTTP server, and tells it. Which server that is, app.ts says: that of src/turns.
import type { Server, ServerOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';

/** An `http.Server`, or one of `node:https`, with these methods. */
export type HttpServer = Server & {
  /** Stops listening at once, unlike `close`: what waits in the kernel's queue is not accepted any more. */
  readonly stopListening: () => void;
  /** The handler of a request goes on, although its response has closed. Returns what to call at its end. */
  readonly leaveBehind: (connection: Duplex) => () => void;
  /** How many connections are open. */
  readonly openConnections: () => number;
  /** The longest time in ms for which a client has waited for its turn, since this was last called. */
  readonly longestTurnWait: () => number;
  /** New connections get this certificate and key. */
  readonly setSecureContext: (tls: SecureContextOptions) => void;
};

/** The options of `http.createServer`, and these. All but `tls` are called when something happens. */
export type HttpServerOptions = ServerOptions & {
  readonly tls?: SecureContextOptions | undefined; // for HTTPS
  readonly halfClosed: (connection: Duplex) => void; // a client has ended its side, while it waits for its reply
  readonly closing: (connection: Duplex) => void; // it is about to be closed, for want of room
  readonly dropped: (reason: string, client: string | undefined, connections: number) => void; // one was, for that
  readonly failed: (reason: string) => void; // a connection has ended early
  readonly swept: (ms: number) => void; // every so many milliseconds
};

/** Makes a server, which does not listen yet. */
export type CreateHttpServer = (options: HttpServerOptions) => HttpServer;

/** What Node is told of heads and times (in milliseconds). `server.timeout` stays 0: handlers have their own limit. */
export const NODE_OPTIONS = {
  headersTimeout: 10_000, // for a head, even if its client sends a byte at a time (Slowloris)
  requestTimeout: 15_000, // for a whole request
  connectionsCheckingInterval: 1_000, // so often, Node checks these two
  maxHeaderSize: 16 * 1024, // of a head, in bytes
  insecureHTTPParser: false, // whatever flags Node was started with
  requireHostHeader: false, // head.ts requires it, and the log says so
  joinDuplicateHeaders: true, // two lines of Host become one value with a comma, which head.ts refuses
};
