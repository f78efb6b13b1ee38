// All routes of the service: which handler answers which path and method.
import type { SecureContextOptions } from 'node:tls';
import { createGreetingEndpoint } from './api/greeting-endpoint.ts';
import { createHealthEndpoint } from './api/health.ts';
import { hostCheck } from './http/allowed-hosts.ts';
import { redirectToHttps } from './http/redirect.ts';
import { createRouter } from './http/router.ts';
import { createSecureServer, createServer, type SecureServer, type Server, type ServerOptions, type TrackedServer } from './http/server.ts';

export type AppOptions = Pick<ServerOptions, 'reports' | 'maxConnections' | 'keepAliveTimeoutMs' | 'limits'> & {
  /** Whether the API description is served. */
  readonly development: boolean;
  /** The clock: milliseconds since the epoch. */
  readonly now: () => number;
  /** The host names and IP addresses that `Host` may name; undefined: any. */
  readonly allowedHosts: readonly string[] | undefined;
};

/** The service. Its servers do not listen yet. */
export type App = {
  readonly createServer: () => Server;
  readonly createSecureServer: (secureContext: SecureContextOptions) => SecureServer;
  /** A server that redirects legal requests to this port for HTTPS. */
  readonly createRedirectServer: (httpsPort: number) => Server;
  /**
   * From now on `/health` replies 503. On each connection, the request whose content is arriving, or else the next one, is
   * the last.
   */
  readonly startDraining: () => void;
  /** Stops listening: other processes on the same sockets accept new connections from now on. */
  readonly stopListening: () => void;
  /**
   * Stops listening. Each server then checks, at once and once a second, whether any of its connections has an unread reply, is
   * ending or is lingering. If none is, it closes its idle connections. Resolves when all connections have ended.
   */
  readonly close: () => Promise<void>;
  /** Closes all connections at once, and returns how many there were. */
  readonly closeAll: () => number;
};

/** Creates the service. Nothing listens until a server that it has created is told to. */
export async function createApp({ development, now, allowedHosts, ...serverOptions }: AppOptions): Promise<App> {
  let draining = false;
  const isDraining = () => draining;
  const options = { ...serverOptions, isDraining, isAllowed: allowedHosts && hostCheck(allowedHosts) };

  const handler = createRouter({
    '/health': { GET: createHealthEndpoint(isDraining) },
    '/api/greetings': { GET: createGreetingEndpoint(now) },
    // The file is loaded only where it is served.
    ...(development && { '/openapi/v1.json': { GET: (await import('./api/description.ts')).descriptionEndpoint } }),
  });

  const servers: TrackedServer<unknown>[] = [];
  function keep<S>(server: TrackedServer<S>): S {
    servers.push(server);
    return server.nodeServer;
  }

  return {
    createServer: () => keep(createServer(handler, options)),
    createSecureServer: (secureContext) => keep(createSecureServer(handler, options, secureContext)),
    createRedirectServer: (httpsPort) => keep(createServer(redirectToHttps(httpsPort), options)),
    startDraining: () => {
      draining = true;
    },
    stopListening: () => {
      for (const server of servers) void server.stopListening();
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
    },
    closeAll: () => servers.reduce((connections, server) => connections + server.closeAll(), 0),
  };
}
