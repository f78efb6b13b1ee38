// All routes of the service: which handler answers which path and method.
import type { Server as NodeServer } from 'node:net';
import type { SecureContext } from 'node:tls';
import { createGreetingEndpoint } from './api/greeting-endpoint.ts';
import { createHealthEndpoint } from './api/health.ts';
import { hostCheck } from './http/allowed-hosts.ts';
import { redirectToHttps } from './http/redirect.ts';
import type { Handler } from './http/reply.ts';
import { createRouter } from './http/router.ts';
import { createServer, type Server, type ServerOptions } from './server/server.ts';

export type AppOptions = Pick<ServerOptions, 'reports' | 'maxConnections' | 'keepAliveTimeoutMs' | 'limits'> & {
  /** Whether the API description is served. */
  readonly development: boolean;
  /** The clock: milliseconds since the epoch. */
  readonly now: () => number;
  /** The host names and IP addresses that `Host` may name; undefined: any. */
  readonly allowedHosts: readonly string[] | undefined;
};

/** The service. Its servers do not listen yet. The last three functions are for all of them together. */
export type App = {
  readonly createServer: () => NodeServer;
  /** A server for HTTPS. `secureContext` returns the certificate and the key for a new connection. */
  readonly createSecureServer: (secureContext: () => SecureContext) => NodeServer;
  /** A server that redirects legal requests to this port for HTTPS. */
  readonly createRedirectServer: (httpsPort: number) => NodeServer;
  /** From now on `/health` replies 503, and each reply is the last one on its connection. */
  readonly startDraining: () => void;
} & Pick<Server, 'stopListening' | 'close' | 'closeAll'>;

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

  const servers: Server[] = [];
  function create(serverHandler: Handler, secureContext?: () => SecureContext): NodeServer {
    const server = createServer({ ...options, handler: serverHandler }, secureContext);
    servers.push(server);
    return server.nodeServer;
  }

  return {
    createServer: () => create(handler),
    createSecureServer: (secureContext) => create(handler, secureContext),
    createRedirectServer: (httpsPort) => create(redirectToHttps(httpsPort)),
    startDraining: () => { draining = true; },
    stopListening: () => servers.forEach((server) => server.stopListening()),
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
    },
    closeAll: () => servers.reduce((connections, server) => connections + server.closeAll(), 0),
  };
}
