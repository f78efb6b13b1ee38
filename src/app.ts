// All routes of the service: which handler answers which path and method.
import type { SecureContextOptions } from 'node:tls';
import { descriptionEndpoint } from './api/description.ts';
import { createGreetingEndpoint } from './api/greeting-endpoint.ts';
import { redirectToHttps } from './api/redirect.ts';
import type { HostRules } from './http/head.ts';
import { contentReply } from './http/reply.ts';
import { createRouter, type Router, type Routes } from './http/router.ts';
import { matcherOf } from './http/target.ts';
import { createServer, type Server, type ServerOptions } from './server.ts';

export type AppOptions = Omit<ServerOptions, 'router' | 'hostRules' | 'isDraining'> & {
  readonly isDevelopment: boolean; // whether the API description is served
  readonly now: () => number; // the clock: milliseconds since the epoch
  readonly allowedHosts: readonly string[] | undefined; // names and IP addresses that `Host` may have; undefined: any
};

export type App = ReturnType<typeof createApp>;

// Unhealthy tells load balancers and orchestrators to send requests to other processes.
const healthy = contentReply(200, 'text/plain', 'Healthy');
const unhealthy = contentReply(503, 'text/plain', 'Unhealthy');

/** Creates the service. Nothing listens until a server that it has created is told to. */
export function createApp({ isDevelopment, now, allowedHosts, ...serverOptions }: AppOptions) {
  let isDraining = false;
  const servers: Server[] = [];

  const routes: Routes = {
    '/health': { GET: () => (isDraining ? unhealthy : healthy) },
    '/api/greetings': { GET: createGreetingEndpoint(now) },
  };
  if (isDevelopment) routes['/openapi/v1.json'] = { GET: descriptionEndpoint };
  const router = createRouter(routes);
  const isAllowed = allowedHosts && matcherOf(allowedHosts);

  function create(ownRouter: Router, hostRules: HostRules, tls?: SecureContextOptions): Server {
    const server = createServer({ ...serverOptions, router: ownRouter, hostRules, isDraining: () => isDraining }, tls);
    servers.push(server);
    return server;
  }

  return {
    /** A server without TLS. */
    createHttpServer: () => create(router, { isAllowed }),
    /** A server for HTTPS. */
    createHttpsServer: (tls: SecureContextOptions) => create(router, { isAllowed, takesHttps: true }, tls),
    /** A server that redirects each request to HTTPS on this port. */
    createRedirectServer(port: number): Server {
      const handler = redirectToHttps(port);
      // `takesHttps`: a target with the scheme https is redirected, too.
      return create(() => ({ handler }), { isAllowed, takesHttps: true, needsHost: true });
    },
    /** From now on `/health` replies with 503, and each reply is the last one on its connection. */
    startDraining(): void {
      isDraining = true;
    },
    isDraining: () => isDraining,
    // The methods below act on all servers together, as those of the same names in `Server` act on one.
    stopListening: () => servers.forEach((server) => server.stopListening()),
    close: async () => { await Promise.all(servers.map((server) => server.close())); },
    closeAll: () => servers.map((server) => server.closeAll()).reduce((sum, requests) => sum + requests, 0),
    setSecureContext: (tls: SecureContextOptions) => servers.forEach((server) => server.setSecureContext(tls)),
  };
}
