// All routes of the service: which handler answers which path and method.
import type { Server as Listener } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { createGreetingEndpoint } from './api/greeting-endpoint.ts';
import { contentReply } from './http/messages.ts';
import { redirectToHttps } from './http/redirect.ts';
import { hostCheck, type RefuseHost } from './http/request-target.ts';
import { createRouter } from './http/router.ts';
import type { CreateServer, Server, ServerOptions } from './server/interface.ts';

export type AppOptions = Omit<ServerOptions, 'handler' | 'refuseHost' | 'isDraining'> & {
  readonly createServer: CreateServer; // see `loadServer`
  readonly development: boolean; // whether the API description is served
  readonly now: () => number; // the clock: milliseconds since the epoch
  readonly allowedHosts: readonly string[] | undefined; // the host names and IP addresses that `Host` may name; undefined: any
};

export type App = Awaited<ReturnType<typeof createApp>>;

// Unhealthy tells load balancers and orchestrators to send requests to other processes.
const healthy = contentReply(200, 'text/plain', 'Healthy');
const unhealthy = contentReply(503, 'text/plain', 'Unhealthy');

/** Loads one of the two servers: the service's own, or the one on `node:http`. The other one is not loaded. */
export const loadServer = (name: 'strict' | 'node') => (name === 'node' ? import('./node-server.ts') : import('./server/server.ts'));

/** Creates the service. Nothing listens until a server that it has created is told to. */
export async function createApp({ createServer, development, now, allowedHosts, ...serverOptions }: AppOptions) {
  let draining = false;
  const refuseHost: RefuseHost = allowedHosts === undefined ? () => undefined : hostCheck(allowedHosts);

  const handler = createRouter({
    '/health': { GET: () => (draining ? unhealthy : healthy) },
    '/api/greetings': { GET: createGreetingEndpoint(now) },
    // description.ts is loaded only if the description is served.
    ...(development && { '/openapi/v1.json': { GET: (await import('./api/description.ts')).descriptionEndpoint } }),
  });

  const servers: Server[] = [];
  async function create(own: Pick<ServerOptions, 'handler' | 'refuseHost'>, tls?: SecureContextOptions): Promise<Listener> {
    const server = await createServer({ ...serverOptions, isDraining: () => draining, ...own }, tls);
    servers.push(server);
    return server.listener;
  }

  return {
    /** The listener of a server without TLS. It refuses https URIs, which may have been meant for another server (RFC 9110 7.4). */
    createHttpListener: () => create({ handler, refuseHost: (host, isHttps) => (isHttps ? 'httpsWithoutTls' : refuseHost(host, isHttps)) }),
    /** The listener of a server for HTTPS. */
    createHttpsListener: (tls: SecureContextOptions) => create({ handler, refuseHost }, tls),
    /** The listener of a server that redirects legal requests to HTTPS on this port. */
    createRedirectListener: (httpsPort: number) => create({
      handler: redirectToHttps(httpsPort),
      refuseHost: (host, isHttps) => refuseHost(host, isHttps) ?? (host === undefined ? 'redirectWithoutHost' : undefined), // HTTP/1.0
    }),
    /** From now on `/health` replies with 503, and each reply is the last one on its connection. */
    startDraining: () => { draining = true; },
    // The methods below act on all servers together, as those of the same names in `Server` act on one.
    stopListening: () => servers.forEach((server) => server.stopListening()),
    close: async () => { await Promise.all(servers.map((server) => server.close())); },
    closeAll: () => servers.reduce((requests, server) => requests + server.closeAll(), 0),
    setSecureContext: (tls: SecureContextOptions) => servers.forEach((server) => server.setSecureContext(tls)),
  };
}
