// Finds the handler of a request. Paths are compared byte for byte: one that a proxy reads differently could get past the proxy's rules.
import { emptyReply, type Handler } from './messages.ts';

const NOT_FOUND = emptyReply(404);

/** The handler that passes each request to the handler of its path and method in `routes`, or answers 404 or 405. */
export function createRouter(routes: Readonly<Record<string, Readonly<Record<string, Handler>>>>): Handler {
  const paths = new Map(Object.entries(routes).map(([path, handlers]) => {
    const notAllowed = emptyReply(405, ['Allow', Object.keys(handlers).join(', ')]); // RFC 9110 15.5.6
    return [path, { handlers: new Map(Object.entries(handlers)), notAllowed }]; // a map: `__proto__` is a method like any other
  }));
  return (request) => {
    const found = paths.get(request.path);
    if (found === undefined) return NOT_FOUND;
    const handler = found.handlers.get(request.method);
    return handler === undefined ? found.notAllowed : handler(request);
  };
}
