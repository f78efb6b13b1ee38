// All routes of the service: which handler answers which path and method.
import { descriptionEndpoint } from './api/description.ts';
import { createGreetingEndpoint } from './api/greeting.ts';
import { createHealthEndpoint } from './http/health.ts';
import type { Routes } from './http/router.ts';

/** What the handlers need of the process. */
export type RouteOptions = {
  readonly isDevelopment: boolean; // whether the API description is served
  readonly now: () => number; // the clock: milliseconds since the epoch
};

/** The routes. `isDraining`: whether the service is stopping, so that `/health` replies with 503. */
export function createRoutes({ isDevelopment, now }: RouteOptions, isDraining: () => boolean): Routes {
  return {
    '/health': { GET: createHealthEndpoint(isDraining) },
    '/api/greetings': { GET: createGreetingEndpoint(now) },
    ...(isDevelopment && { '/openapi/v1.json': { GET: descriptionEndpoint } }),
  };
}
