// Every rule of ours that refuses a request has a name, which says in the log why it was refused. What Node's parser
// refuses has Node's own names. All are constant, so nothing from a request gets into the log.

/** `section`: where the rule is from. `prevents`: what could happen without it. */
type Rule = { readonly status: number; readonly section: string; readonly prevents: string };

const SMUGGLING = 'request smuggling'; // where one program sees content, another sees a request
const ROUTING = 'routing or caching by another host';
const FLOOD = 'work and memory without end';

/** All rules. SECURITY.md says in words what each refuses; a test compares the two. */
export const REFUSALS = {
  tooManyFieldLines: { status: 431, section: 'RFC 6585 5', prevents: FLOOD },
  targetForm: { status: 400, section: 'RFC 9112 3.2', prevents: 'use as a proxy' },
  hostMissing: { status: 400, section: 'RFC 9112 3.2', prevents: ROUTING },
  hostIllegal: { status: 400, section: 'RFC 9112 3.2', prevents: ROUTING },
  hostMismatch: { status: 400, section: 'RFC 9112 3.2.2', prevents: ROUTING },
  hostNotAllowed: { status: 421, section: 'RFC 9110 15.5.20', prevents: 'DNS rebinding' },
  httpsWithoutTls: { status: 421, section: 'RFC 9110 7.4', prevents: 'requests for https without TLS' },
  redirectWithoutHost: { status: 400, section: 'RFC 9110 10.2.2', prevents: 'a redirect to nowhere' },
  codingIllegal: { status: 400, section: 'RFC 9112 6.3', prevents: SMUGGLING },
  codingUnsupported: { status: 501, section: 'RFC 9112 6.1', prevents: SMUGGLING },
  contentTooLong: { status: 413, section: 'RFC 9110 15.5.14', prevents: FLOOD },
  expectationUnknown: { status: 417, section: 'RFC 9110 10.1.1', prevents: 'a reply that the client does not expect' },
} satisfies Readonly<Record<string, Rule>>;

/** The name of the rule that a refused request breaks. */
export type Reason = keyof typeof REFUSALS;

/**
 * The status for a reason: one of ours, or the code of an error of Node's. Undefined: the client is not at fault, or
 * has gone.
 */
export function statusOf(reason: Reason): number;
export function statusOf(reason: string): number | undefined;
export function statusOf(reason: string): number | undefined {
  if (isReason(reason)) return REFUSALS[reason].status;
  if (reason === 'ERR_HTTP_REQUEST_TIMEOUT') return 408; // RFC 9110 15.5.9
  if (reason === 'HPE_HEADER_OVERFLOW') return 431; // RFC 6585 5
  return reason.startsWith('HPE_') && reason !== 'HPE_PAUSED' ? 400 : undefined; // what Node's parser refuses
}

const isReason = (text: string): text is Reason => Object.hasOwn(REFUSALS, text);
