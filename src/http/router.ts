// Finds the handler of a request. Paths are compared byte for byte: if a proxy understood one in another way, a request
// could get past the proxy's rules.
import { emptyReply, type Reply } from './reply.ts';
import type { Handler, Params } from './request.ts';

/** How requests to a path with a method are answered. */
export type Route = {
  readonly handler: Handler;
  readonly maxContentBytes?: number; // how much content it wants. Without it, content is read and discarded.
  readonly params?: Params; // of a path that has been found
};

/** Finds the route of a request. */
export type Router = (method: string, path: string) => Route;

/** Routes by path and method. A handler alone is a route that wants no content. */
export type Routes = Record<string, Readonly<Record<string, Handler | Route>>>;

const always = (reply: Reply): Route => ({ handler: () => reply });

/** A router for `routes`. Other paths are answered with 404, and other methods with 405. */
export function createRouter(routes: Routes): Router {
  const paths = new Map<string, Map<string, Route>>(); // not objects, because `__proto__` is a name like any other
  const notAllowed = new Map<string, Route>();
  const notFound = always(emptyReply(404));
  for (const [path, methods] of Object.entries(routes)) {
    const found = Object.entries(methods).map(([method, route]): [string, Route] =>
      [method, 'handler' in route ? route : { handler: route }]);
    paths.set(path, new Map(found));
    notAllowed.set(path, always(emptyReply(405, { Allow: Object.keys(methods).join(', ') }))); // RFC 9110 15.5.6
  }
  return (method, path) => paths.get(path)?.get(method) ?? notAllowed.get(path) ?? notFound;
}
