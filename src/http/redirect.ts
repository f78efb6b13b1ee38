// Redirects plain HTTP to HTTPS.
import { emptyReply } from './reply.ts';
import type { Handler } from './request.ts';

/** Redirects each request to `port` of its host, which it must name. 307 keeps the method (RFC 9110 15.4.8). */
export function redirectToHttps(port: number): Handler {
  const suffix = port === 443 ? '' : `:${port}`; // RFC 9110 4.2.2
  return ({ host = '', path, query }) => { // there is a host: a request without one is refused
    const name = host.replace(/:\d+$/, '');
    const target = path === '*' ? '' : path; // OPTIONS *
    const search = query === '' ? '' : `?${query}`;
    return emptyReply(307, { Location: `https://${name}${suffix}${encode(target + search)}` });
  };
}

// Clients send characters that a URI, such as that in Location, must not have (RFC 9110 10.2.2, RFC 3986 3.3 and 3.4).
// `encodeURI` also encodes the `%` of what is percent-encoded already. The last step undoes that.
function encode(text: string): string {
  return encodeURI(text).replaceAll('#', '%23').replace(/%25(?=[\dA-Fa-f]{2})/g, '%');
}
