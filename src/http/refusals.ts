// When requests are refused: how large and slow they may be, and which rules they may break. Each rule has a name, for
// the log. What Node refuses has Node's own names. All are constant, so nothing from a request gets into the log.

export const FIELD_LINES = 100; // in a head; browsers send about 20
export const DISCARDED_BYTES = 64 * 1024; // the most content that is read where a route wants none
export const HANDLER_MS = 30_000; // for a handler, and its wait for a seat, if its route does not say

/** The status of each rule, where it is from, and what it prevents. SECURITY.md says in words what each refuses. */
export const REFUSALS = {
  tooManyFieldLines: 431, // RFC 6585 5: work and memory without end
  targetForm: 400, // RFC 9112 3.2: use as a proxy
  hostMissing: 400, // RFC 9112 3.2: routing or caching by another host
  hostIllegal: 400, // RFC 9112 3.2: the same
  hostMismatch: 400, // RFC 9112 3.2.2: the same
  hostNotAllowed: 421, // RFC 9110 15.5.20: DNS rebinding
  httpsWithoutTls: 421, // RFC 9110 7.4: requests for https without TLS
  redirectWithoutHost: 400, // RFC 9110 10.2.2: a redirect to nowhere
  codingIllegal: 400, // RFC 9112 6.3: request smuggling, where one program sees content, and another a request
  codingUnsupported: 501, // RFC 9112 6.1: the same
  contentTooLong: 413, // RFC 9110 15.5.14: work and memory without end
  expectationUnknown: 417, // RFC 9110 10.1.1: a reply that the client does not expect
} as const;

/** The name of the rule that a refused request breaks. */
export type Reason = keyof typeof REFUSALS;

/** The status for the code of an error of Node's, if the client is still there. */
export function statusOfError(code: string): number {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408; // RFC 9110 15.5.9
  return code === 'HPE_HEADER_OVERFLOW' ? 431 : 400; // RFC 6585 5
}
