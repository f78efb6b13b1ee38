// The whole surface of the service on one screen: which path is answered by which endpoint.
import type { Server } from 'node:http';
import { greetings } from './api/greetings.ts';
import { health } from './api/health.ts';
import type { Endpoint } from './http/reply.ts';
import { createServer, type ReportError } from './http/server.ts';

export type AppOptions = {
  /** Switches the description of the API on. */
  readonly development: boolean;
  /** The clock: milliseconds since the epoch. */
  readonly now: () => number;
  readonly reportError: ReportError;
};

/** The service as a server that does not listen yet. */
export async function createApp({ development, now, reportError }: AppOptions): Promise<Server> {
  const routes = new Map<string, Endpoint>([
    ['/health', health],
    ['/api/greetings', greetings(now)],
  ]);
  if (development) {
    const { description } = await import('./api/description.ts');
    routes.set('/openapi/v1.json', description);
  }
  return createServer(routes, reportError);
}
