// The whole surface of the service on one screen: which path is answered by which handler.
import type { SecureContextOptions } from 'node:tls';
import { createGreetings } from './api/greetings.ts';
import { createHealth } from './api/health.ts';
import { hostCheck } from './http/allowed-hosts.ts';
import { redirectToHttps } from './http/redirect.ts';
import { createRouter } from './http/router.ts';
import { createSecureServer, createServer, type SecureServer, type Server, type ServerOptions, type TrackedServer } from './http/server.ts';

export type AppOptions = Pick<ServerOptions, 'reports' | 'maxConnections' | 'keepAliveTimeoutMs' | 'limits'> & {
  /** Switches the description of the API on. */
  readonly development: boolean;
  /** The clock: milliseconds since the epoch. */
  readonly now: () => number;
  /** The host names and IP addresses that are answered to; undefined: all. */
  readonly allowedHosts: readonly string[] | undefined;
};

/** The service, behind servers that do not listen yet. */
export type App = {
  readonly createServer: () => Server;
  readonly createSecureServer: (secureContext: SecureContextOptions) => SecureServer;
  /** A server that redirects every request to this port for HTTPS. */
  readonly createRedirectServer: (httpsPort: number) => Server;
  /** From now on the service is unhealthy, and every reply the last one on its connection. */
  readonly startDraining: () => void;
  /** Leaves new connections to others that listen on the same sockets. */
  readonly stopListening: () => void;
  /** Closes listeners and idle connections, and resolves when the busy ones have ended. */
  readonly close: () => Promise<void>;
  /** Ends all connections at once, and returns how many there were. */
  readonly cut: () => number;
};

/** The service, with the clock and the reports that it uses. */
export async function createApp({ development, now, allowedHosts, ...serverOptions }: AppOptions): Promise<App> {
  let draining = false;
  const isDraining = () => draining;
  const options = { ...serverOptions, isDraining, isAllowed: allowedHosts && hostCheck(allowedHosts) };

  const handler = createRouter({
    '/health': { GET: createHealth(isDraining) },
    '/api/greetings': { GET: createGreetings(now) },
    // Loaded only where it is served.
    ...(development && { '/openapi/v1.json': { GET: (await import('./api/description.ts')).description } }),
  });

  const servers: TrackedServer<unknown>[] = [];
  function keep<S>(server: TrackedServer<S>): S {
    servers.push(server);
    return server.listener;
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
    cut: () => servers.reduce((connections, server) => connections + server.cut(), 0),
  };
}
