// Redirects plain HTTP to HTTPS. What gets into Location has already been checked (response splitting).
import { emptyReply, type Handler } from './messages.ts';
import { withoutPort } from './request-target.ts';

// Browsers send characters in a query that a URI, such as that in Location, does not allow (RFC 9110 10.2.2, RFC 3986 3.4). What is already
// percent-encoded stays as it is.
const encode = (query: string) => encodeURI(query).replace(/%25(?=[\dA-Fa-f]{2})/g, '%');

/** Redirects each request to `port` of its host with 307, which keeps the method (RFC 9110 15.4.8). One without a host must be refused. */
export function redirectToHttps(port: number): Handler {
  const suffix = port === 443 ? '' : `:${port}`; // RFC 9110 4.2.2
  return ({ host = '', path, query }) => {
    const target = path === '*' ? '' : path; // OPTIONS *
    const search = query === '' ? '' : `?${encode(query)}`;
    return emptyReply(307, ['Location', `https://${withoutPort(host)}${suffix}${target}${search}`]);
  };
}
