// Finds the handler of a request. Paths are compared byte for byte: one that a proxy reads differently could get past the proxy's rules.
import { emptyReply, type Handler, type Reply } from './reply.ts';

/** For each path, the handler of each method. */
export type Routes = Readonly<Record<string, Readonly<Record<string, Handler>>>>;

const always = (reply: Reply): Handler => () => reply;
const notFound = always(emptyReply(404));

/** The handler that passes each request to the handler of its path and method, or answers 404 or 405. */
export function createRouter(routes: Routes): Handler {
  const paths = new Map(Object.entries(routes).map(([path, methods]) => [path, createMethodRouter(methods)]));
  return (request) => (paths.get(request.path) ?? notFound)(request);
}

function createMethodRouter(handlers: Readonly<Record<string, Handler>>): Handler {
  const methods = new Map(Object.entries(handlers)); // so that `__proto__` is a method like any other
  const notAllowed = always(emptyReply(405, ['Allow', Array.from(methods.keys()).join(', ')])); // RFC 9110 15.5.6
  return (request) => (methods.get(request.method) ?? notAllowed)(request);
}
