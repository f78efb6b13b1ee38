// Finds the handler of a request. Paths are compared byte for byte: otherwise some could get past the rules of a proxy.
import { emptyReply, type Reply } from './reply.ts';
import type { Handler, Params } from './request.ts';
import type { Seats } from './seats.ts';

/** How requests to a path with a method are answered. */
export type Route = {
  readonly handler: Handler;
  readonly maxContentBytes?: number; // how much content it wants. Without it, content is read and discarded.
  readonly seats?: Seats; // its handler needs one of these; without, any number run at once
  readonly timeLimitMs?: number; // for the handler, and its wait for a seat; by default 30 s; `Infinity`: none
  readonly params?: Params; // of a path that has been found
};

/** Finds the route of a request, at once. `isHttps`: a trusted proxy says that its client has sent it over HTTPS. */
export type Router = (method: string, path: string, isHttps?: boolean) => Route;

/** Routes by path and method. A handler alone wants no content. In a path, `/:id` is any segment but an empty one. */
export type Routes = Record<string, Readonly<Record<string, Handler | Route>>>;

/** The longest time in ms for which a request has waited for a seat of these routes, since this was last called. */
export function longestSeatWait(routes: Routes): number {
  const all = Object.values(routes).flatMap((methods) => Object.values(methods));
  return Math.max(0, ...all.map((route) => ('seats' in route && route.seats?.longestWait()) || 0));
}

const always = (reply: Reply): Route => ({ handler: () => reply });

/** A router for `routes`. Other paths get a 404, other methods a 405. A path without parameters comes first. */
export function createRouter(routes: Routes): Router {
  const fixed = new Map<string, (method: string) => Route>(); // no object: `__proto__` is a name like any other
  const patterns = new Map<RegExp, (method: string) => Route>();
  const notFound = always(emptyReply(404));
  for (const [path, methods] of Object.entries(routes)) {
    const found = new Map(Object.entries(methods).map(([method, route]): [string, Route] =>
      [method, 'handler' in route ? route : { handler: route }]));
    const notAllowed = always(emptyReply(405, { Allow: Object.keys(methods).join(', ') })); // RFC 9110 15.5.6
    const find = (method: string) => found.get(method) ?? notAllowed;
    if (path.includes('/:')) patterns.set(patternOf(path), find);
    else fixed.set(path, find);
  }

  function findByPattern(method: string, path: string): Route {
    for (const [pattern, find] of patterns) {
      const params = paramsIn(path, pattern);
      if (params !== undefined) return { ...find(method), params };
    }
    return notFound;
  }
  return (method, path) => fixed.get(path)?.(method) ?? findByPattern(method, path);
}

// `/notes/:id` becomes `^/notes/(?<id>[^/]+)$`. All but letters, digits, `_`, `/` and `:` is escaped, such as a dot.
function patternOf(path: string): RegExp {
  const escaped = path.replace(/[^\w/:]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\/:(\w+)/g, '/(?<$1>[^/]+)')}$`);
}

// The parameters in a path, decoded. Undefined: it does not match, or is not legally encoded.
function paramsIn(path: string, pattern: RegExp): Params | undefined {
  const { groups } = pattern.exec(path) ?? {};
  try {
    return groups && Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    return undefined;
  }
}
