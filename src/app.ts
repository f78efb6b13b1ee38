// The app: its servers, which have the same routes, and act together.
import type { SecureContextOptions } from 'node:tls';
import { redirectToHttps } from './http/redirect.ts';
import type { HeadRules } from './http/head.ts';
import { createRouter, longestSeatWait, type Router } from './http/router.ts';
import { hostNamesOf } from './http/target.ts';
import { createRoutes, type RouteOptions } from './routes.ts';
import type { HttpServerOptions } from './server/http-server.ts';
import { createServer, type Server, type ServerSetup } from './server/server.ts';
import { clientOf, createFairServer as createHttpServer, createRoom } from './turns/fair-server.ts';

export type AppOptions = RouteOptions & Pick<ServerSetup, 'isTrustedProxy' | 'keepAliveTimeoutMs' | 'reports'> & {
  readonly allowedHosts: readonly string[] | undefined; // names and IP addresses that `Host` may have; undefined: any
  readonly maxConnections: number; // how many may be open at once, on all servers together
  readonly isBalancer?: ((remoteAddress: string | undefined) => boolean) | undefined; // it sends the PROXY protocol
};

export type App = ReturnType<typeof createApp>;

/** Creates the service. Nothing listens until a server that it has created is told to. */
export function createApp({ allowedHosts, maxConnections, isBalancer, ...options }: AppOptions) {
  const servers: Server[] = [];
  let isDraining = false;
  const room = createRoom(maxConnections);
  const ofAll = {
    ...options, clientOf,
    createHttpServer: (own: HttpServerOptions) => createHttpServer({ ...own, room, isBalancer }),
    isDraining: () => isDraining,
  };
  const routes = createRoutes(options, ofAll.isDraining);
  const router = createRouter(routes);
  const hostNames = allowedHosts && hostNamesOf(allowedHosts);

  const sumOf = (count: (server: Server) => number) => servers.reduce((sum, server) => sum + count(server), 0);

  function create(ownRouter: Router, headRules: HeadRules, tls?: SecureContextOptions): Server {
    const server = createServer({ ...ofAll, router: ownRouter, headRules: { hostNames, ...headRules } }, tls);
    servers.push(server);
    return server;
  }

  return {
    /** A server without TLS. */
    createPlainServer: () => create(router, {}),
    /** A server for HTTPS. */
    createHttpsServer: (tls: SecureContextOptions) => create(router, { takesHttps: true }, tls),
    /** A server that redirects each request to HTTPS on this port, unless it came to a trusted proxy over HTTPS. */
    createRedirectServer(port: number): Server {
      const redirecting = { handler: redirectToHttps(port) };
      const redirectOr: Router = (method, path, isHttps) => (isHttps === true ? router(method, path) : redirecting);
      return create(redirectOr, { takesHttps: true, needsHost: true }); // also targets with the scheme https
    },
    /** From now on `/health` replies with 503, and each reply is the last one on its connection. */
    startDraining: () => { isDraining = true; },
    isDraining: () => isDraining,
    // The methods below act on all servers together, as those of the same names act on one.
    stopListening: () => servers.forEach((server) => server.httpServer.stopListening()),
    close: async () => { await Promise.all(servers.map((server) => server.close())); },
    closeAll: () => sumOf((server) => server.closeAll()),
    /** How busy the servers are together; the longest waits are those since it was last asked. */
    load: () => ({
      openConnections: sumOf((server) => server.httpServer.openConnections()),
      handlers: sumOf((server) => server.handlers()),
      longestTurnWaitMs: Math.round(Math.max(0, ...servers.map((server) => server.httpServer.longestTurnWait()))),
      longestSeatWaitMs: Math.round(longestSeatWait(routes)),
    }),
    /** New connections get this certificate and key. */
    setSecureContext: (tls: SecureContextOptions) =>
      servers.forEach(({ httpServer }) => httpServer.setSecureContext(tls)),
  };
}
