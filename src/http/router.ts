// Which endpoint answers: paths are compared byte for byte, without decoding, trimming or
// resolving, because a path that a proxy's rules see differently from the service is a bypass.
import { emptyReply, type Endpoint } from './reply.ts';

/** Path to endpoint. A Map, so that `/__proto__` is a path like any other. */
export type Routes = ReadonlyMap<string, Endpoint>;

const notFoundReply = emptyReply(404);
const methodNotAllowedReply = emptyReply(405, 'Allow: GET\r\n'); // RFC 9110 15.5.6

const notFound: Endpoint = () => notFoundReply;
const methodNotAllowed: Endpoint = () => methodNotAllowedReply;

/** The endpoint for a method and a path; for those without one, the endpoint that says so. */
export function route(routes: Routes, method: string | undefined, path: string): Endpoint {
  const endpoint = routes.get(path);
  if (endpoint === undefined) return notFound;
  return method === 'GET' ? endpoint : methodNotAllowed;
}
