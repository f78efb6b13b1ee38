// Redirects plain HTTP to HTTPS.
import { emptyReply, type Handler } from './reply.ts';
import { withoutPort } from './request-target.ts';

const DEFAULT_PORT = 443; // RFC 9110 4.2.2

/**
 * Redirects each request to `port` of the host that it names (RFC 9110 15.4.8: 307 keeps the method). A request without a
 * host gets 400. The host, the path and the query have been checked before they get into a Location.
 */
export function redirectToHttps(port: number): Handler {
  const suffix = port === DEFAULT_PORT ? '' : `:${port}`;
  return ({ host, path, query }) => {
    if (host === undefined) return emptyReply(400); // HTTP/1.0 allows that
    const target = path.startsWith('/') ? path + (query === '' ? '' : `?${query}`) : ''; // not OPTIONS *
    return emptyReply(307, ['Location', `https://${withoutPort(host)}${suffix}${target}`]);
  };
}
