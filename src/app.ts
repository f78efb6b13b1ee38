// All routes of the service: which handler answers which path and method.
import type { Server as Listener } from 'node:net';
import { createGreetingEndpoint } from './api/greeting-endpoint.ts';
import { redirectToHttps } from './http/redirect.ts';
import { contentReply } from './http/reply.ts';
import { hostCheck } from './http/request-target.ts';
import { createRouter } from './http/router.ts';
import { createServer, type Secure, type Server, type ServerOptions } from './server/server.ts';
import { Turns } from './server/turns.ts';

export type AppOptions = Omit<ServerOptions, 'handler' | 'isAllowed' | 'isDraining' | 'turns'> & {
  readonly development: boolean; // whether the API description is served
  readonly now: () => number; // the clock: milliseconds since the epoch
  readonly allowedHosts: readonly string[] | undefined; // the host names and IP addresses that `Host` may name; undefined: any
  readonly turns?: Turns; // for tests
};

export type App = Awaited<ReturnType<typeof createApp>>;

// Unhealthy tells load balancers and orchestrators to send requests to other processes.
const healthy = contentReply(200, 'text/plain', 'Healthy');
const unhealthy = contentReply(503, 'text/plain', 'Unhealthy');

/** Loads the code for TLS. That takes time, so call it only if TLS is used. */
export const loadTls = () => import('./server/tls.ts');

/** Creates the service. Nothing listens until a server that it has created is told to. */
export async function createApp({ development, now, allowedHosts, turns = new Turns(), ...serverOptions }: AppOptions) {
  let draining = false;
  const isAllowed = allowedHosts === undefined ? () => true : hostCheck(allowedHosts);

  const handler = createRouter({
    '/health': { GET: () => (draining ? unhealthy : healthy) },
    '/api/greetings': { GET: createGreetingEndpoint(now) },
    // description.ts is loaded only if the description is served.
    ...(development && { '/openapi/v1.json': { GET: (await import('./api/description.ts')).descriptionEndpoint } }),
  });

  const servers: Server[] = [];
  function create(own: Pick<ServerOptions, 'handler' | 'isAllowed'>, secure?: Secure): Listener {
    const server = createServer({ ...serverOptions, turns, isDraining: () => draining, ...own }, secure);
    servers.push(server);
    return server.listener;
  }

  return {
    /** A server without TLS: it refuses requests for https URIs, which may have been meant for another server (RFC 9110 7.4). */
    createServer: () => create({ handler, isAllowed: (host, isHttps) => !isHttps && isAllowed(host) }),
    /** A server for HTTPS. `secure` puts TLS on each accepted socket, using what `loadTls` loads. */
    createSecureServer: (secure: Secure) => create({ handler, isAllowed }, secure),
    /** A server that redirects legal requests to HTTPS on this port. */
    createRedirectServer: (httpsPort: number) => create({ handler: redirectToHttps(httpsPort), isAllowed }),
    /** From now on `/health` replies with 503, and each reply is the last one on its connection. */
    startDraining: () => { draining = true; },
    // The methods below act on all servers together, as those of the same names in `Server` act on one.
    stopListening: () => servers.forEach((server) => server.stopListening()),
    close: async () => { await Promise.all(servers.map((server) => server.close())); },
    closeAll: () => servers.reduce((connections, server) => connections + server.closeAll(), 0),
  };
}
