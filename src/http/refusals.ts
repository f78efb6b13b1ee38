// Every rule that refuses a request has a name, which says in the log why a request was refused. The code says at each place which rule is
// broken, and only this table says with which status (RFC 9110 15). Names are constant, so nothing from a request gets into the log.

/** `section`: where the rule is from; 'ours': no RFC asks for it. `prevents`: what could happen without it. */
type Rule = { readonly status: number; readonly section: string; readonly prevents: string };

const SMUGGLING = 'request smuggling'; // programs disagree on where a request ends, so one reads a request where another reads content
const ROUTING = 'routing or caching by another host';
const BYPASS = "a path that gets past a proxy's rules";
const FLOOD = 'work and memory without end';

/** All rules. SECURITY.md says in words what each refuses; a test compares the two. */
export const REFUSALS = {
  // Lines
  lineEnd: { status: 400, section: 'RFC 9112 2.2', prevents: SMUGGLING },
  controlCharacter: { status: 400, section: 'RFC 9110 5.5', prevents: SMUGGLING },
  // The request line
  requestLineForm: { status: 400, section: 'RFC 9112 3', prevents: BYPASS },
  requestLineNotAscii: { status: 400, section: 'RFC 9112 3.2', prevents: BYPASS },
  requestLineTooLong: { status: 414, section: 'RFC 9110 15.5.15', prevents: FLOOD },
  versionUnsupported: { status: 505, section: 'RFC 9110 15.6.6', prevents: SMUGGLING },
  targetForm: { status: 400, section: 'RFC 9112 3.2', prevents: BYPASS },
  targetCharacter: { status: 400, section: 'RFC 9112 3.2', prevents: BYPASS },
  connectUnsupported: { status: 501, section: 'RFC 9110 15.6.2', prevents: 'use as a proxy' },
  // Field lines
  fieldLine: { status: 400, section: 'RFC 9112 5', prevents: SMUGGLING },
  fieldFolded: { status: 400, section: 'RFC 9112 5.2', prevents: SMUGGLING },
  spaceBeforeColon: { status: 400, section: 'RFC 9112 5.1', prevents: SMUGGLING },
  tooManyFieldLines: { status: 431, section: 'ours', prevents: FLOOD },
  headTooLong: { status: 431, section: 'RFC 6585 5', prevents: FLOOD },
  // The host
  hostMissing: { status: 400, section: 'RFC 9112 3.2', prevents: ROUTING },
  hostTwice: { status: 400, section: 'RFC 9112 3.2', prevents: ROUTING },
  hostEmpty: { status: 400, section: 'ours', prevents: ROUTING },
  hostIllegal: { status: 400, section: 'RFC 9112 3.2', prevents: ROUTING },
  hostPort: { status: 400, section: 'ours', prevents: ROUTING },
  hostMismatch: { status: 400, section: 'ours', prevents: ROUTING },
  hostNotAllowed: { status: 421, section: 'RFC 9110 15.5.20', prevents: 'DNS rebinding' },
  httpsWithoutTls: { status: 421, section: 'RFC 9110 7.4', prevents: 'requests for https without TLS' },
  redirectWithoutHost: { status: 400, section: 'RFC 9110 10.2.2', prevents: 'a redirect to nowhere' },
  // Where the content ends
  lengthAndCoding: { status: 400, section: 'RFC 9112 6.3', prevents: SMUGGLING },
  lengthTwice: { status: 400, section: 'RFC 9112 6.3', prevents: SMUGGLING },
  lengthIllegal: { status: 400, section: 'RFC 9112 6.3', prevents: SMUGGLING },
  lengthLeadingZero: { status: 400, section: 'ours', prevents: SMUGGLING },
  codingInHttp10: { status: 400, section: 'RFC 9112 6.1', prevents: SMUGGLING },
  codingEmpty: { status: 400, section: 'ours', prevents: SMUGGLING },
  codingNotChunked: { status: 400, section: 'RFC 9112 6.3', prevents: SMUGGLING },
  chunkedTwice: { status: 400, section: 'RFC 9112 6.1', prevents: SMUGGLING },
  codingUnsupported: { status: 501, section: 'RFC 9112 6.1', prevents: SMUGGLING },
  // The content
  contentTooLong: { status: 413, section: 'RFC 9110 15.5.14', prevents: FLOOD },
  expectationUnknown: { status: 417, section: 'RFC 9110 10.1.1', prevents: 'a reply that the client does not expect' },
  chunkSize: { status: 400, section: 'RFC 9112 7.1', prevents: SMUGGLING },
  chunkSizeTooLong: { status: 400, section: 'ours', prevents: SMUGGLING },
  chunkExtension: { status: 400, section: 'RFC 9112 7.1.1', prevents: SMUGGLING },
  spaceInChunkExtension: { status: 400, section: 'ours', prevents: SMUGGLING },
  chunkLineTooLong: { status: 400, section: 'ours', prevents: FLOOD },
  chunkFramingTooLong: { status: 400, section: 'ours', prevents: FLOOD },
  chunkData: { status: 400, section: 'RFC 9112 7.1', prevents: SMUGGLING },
  trailerLine: { status: 400, section: 'RFC 9112 7.1.2', prevents: SMUGGLING },
  trailerNotAllowed: { status: 400, section: 'RFC 9110 6.5.1', prevents: SMUGGLING },
  trailersTooLong: { status: 431, section: 'ours', prevents: FLOOD },
  // What the connection sees
  headTooSlow: { status: 408, section: 'RFC 9110 15.5.9', prevents: 'connections that are held for ever (Slowloris)' },
  requestTooSlow: { status: 408, section: 'RFC 9110 15.5.9', prevents: 'connections that are held for ever' },
  cutShort: { status: 400, section: 'RFC 9112 8', prevents: 'a request that its client has not completed' },
  // What Node's parser refuses, with SERVER=node, without saying more
  nodeParser: { status: 400, section: 'RFC 9112 2.2', prevents: SMUGGLING },
} satisfies Readonly<Record<string, Rule>>;

/** The name of the rule that a refused request breaks. */
export type Reason = keyof typeof REFUSALS;
