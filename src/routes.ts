// All routes of the service: which handler answers which path and method.
import { descriptionEndpoint } from './api/description.ts';
import { createGreetingEndpoint } from './api/greeting-endpoint.ts';
import { createHealthEndpoint } from './api/health.ts';
import type { Routes } from './http/router.ts';

/** The routes. `isDevelopment`: with the description of the API. `now`: the clock, in milliseconds since the epoch. */
export function createRoutes(isDevelopment: boolean, now: () => number, isDraining: () => boolean): Routes {
  return {
    '/health': { GET: createHealthEndpoint(isDraining) },
    '/api/greetings': { GET: createGreetingEndpoint(now) },
    ...(isDevelopment && { '/openapi/v1.json': { GET: descriptionEndpoint } }),
  };
}
