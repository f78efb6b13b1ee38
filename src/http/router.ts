// Finds the handler of a request. Paths are compared byte for byte: one that a proxy reads differently could get past the proxy's rules.
import { emptyReply, type Handler } from './reply.ts';

/** For each path, the handler of each method. */
export type Routes = Readonly<Record<string, Readonly<Record<string, Handler>>>>;

const NOT_FOUND = emptyReply(404);

/** The handler that passes each request to the handler of its path and method, or answers 404 or 405. */
export function createRouter(routes: Routes): Handler {
  const paths = new Map(Object.entries(routes).map(([path, handlers]) => [path, new Map(Object.entries(handlers))]));
  return (request) => {
    const handlers = paths.get(request.path);
    const handler = handlers?.get(request.method); // a map: `__proto__` is a method like any other
    if (handler !== undefined) return handler(request);
    return handlers === undefined ? NOT_FOUND : emptyReply(405, ['Allow', Array.from(handlers.keys()).join(', ')]); // RFC 9110 15.5.6
  };
}
