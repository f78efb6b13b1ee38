// The whole surface of the service on one screen: which path is answered by which endpoint.
import type { SecureContextOptions } from 'node:tls';
import { greetings } from './api/greetings.ts';
import { health } from './api/health.ts';
import type { AccessRecord } from './http/access.ts';
import type { OpenSockets } from './http/open-sockets.ts';
import type { Endpoint } from './http/reply.ts';
import { createSecureServer, createServer, type SecureServer, type Server, type ServerOptions, type TrackedServer } from './http/server.ts';

export type AppOptions = Pick<ServerOptions, 'reportError' | 'reportRefusal' | 'keepAliveTimeoutMs'> & {
  /** Switches the description of the API on. */
  readonly development: boolean;
  /** The clock: milliseconds since the epoch. */
  readonly now: () => number;
  /** The host names and IP addresses that are answered to; undefined: all. */
  readonly allowedHosts: readonly string[] | undefined;
  /** Given the record of each request when it is over; undefined when nobody wants to know. */
  readonly recordAccess: ((record: AccessRecord) => void) | undefined;
};

/** The service, behind servers that do not listen yet. */
export type App = {
  readonly createServer: () => Server;
  readonly createSecureServer: (secureContext: SecureContextOptions) => SecureServer;
  readonly createRedirectServer: (httpsPort: number) => Promise<Server>;
  /** From now on the service is unhealthy, and every reply the last one on its connection. */
  readonly startDraining: () => void;
  /** Closes listeners and idle connections, and resolves when the busy ones have ended. */
  readonly close: () => Promise<void>;
  /** Ends all connections at once, and returns how many there were. */
  readonly cut: () => number;
};

export async function createApp({ development, now, allowedHosts, recordAccess, ...serverOptions }: AppOptions): Promise<App> {
  let draining = false;
  const isDraining = () => draining;
  // What only some deployments ask for is loaded for them alone: every file makes the start longer.
  const isAllowed = allowedHosts && (await import('./http/allowed-hosts.ts')).hostCheck(allowedHosts);
  const observer = recordAccess && (await import('./http/access.ts')).createObserver(recordAccess);
  const options = { ...serverOptions, isAllowed, isDraining, observer };

  const routes = new Map<string, Endpoint>([
    ['/health', health(isDraining)],
    ['/api/greetings', greetings(now)],
  ]);
  if (development) {
    const { description } = await import('./api/description.ts');
    routes.set('/openapi/v1.json', description);
  }

  const servers: OpenSockets[] = [];
  function keep<S>(server: TrackedServer<S>): S {
    servers.push(server);
    return server.listener;
  }

  return {
    createServer: () => keep(createServer(routes, options)),
    createSecureServer: (secureContext) => keep(createSecureServer(routes, options, secureContext)),
    createRedirectServer: async (httpsPort) => {
      const { redirectToHttps } = await import('./http/redirect.ts');
      return keep(createServer(routes, options, redirectToHttps(httpsPort)));
    },
    startDraining: () => {
      draining = true;
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
    },
    cut: () => servers.reduce((connections, server) => connections + server.cut(), 0),
  };
}
