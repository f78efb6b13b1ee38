// All routes of the service: which handler answers which path and method.
import { descriptionEndpoint } from './api/description.ts';
import { createGreetingEndpoint } from './api/greeting-endpoint.ts';
import { createHealthEndpoint } from './api/health.ts';
import type { Routes } from './http/router.ts';

/** What the handlers need. */
export type Dependencies = {
  readonly isDevelopment: boolean; // whether the API description is served
  readonly now: () => number; // the clock: milliseconds since the epoch
  readonly isDraining: () => boolean; // whether the service is about to stop
};

/** The routes. */
export function createRoutes({ isDevelopment, now, isDraining }: Dependencies): Routes {
  return {
    '/health': { GET: createHealthEndpoint(isDraining) },
    '/api/greetings': { GET: createGreetingEndpoint(now) },
    ...(isDevelopment && { '/openapi/v1.json': { GET: descriptionEndpoint } }),
  };
}
