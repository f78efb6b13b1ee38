// The errors of node's parser: the status for each, and the legal requests that are among them.
import { http } from './node-http.ts';
import { ParsedRequest } from './parsed-request.ts';
import { MAX_HEAD_BYTES } from './request-head.ts';

/** An error that node reports of a client. An error of node's parser has the packet, and how many bytes of it were parsed. */
export type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer; readonly bytesParsed?: number };

const STATUS: ReadonlyMap<string, number> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408], // RFC 9110 15.5.9
  ['HPE_HEADER_OVERFLOW', 431], // RFC 6585 5
  ['HPE_PAUSED_H2_UPGRADE', 505], // the HTTP/2 preface: RFC 9113 3.4
]);

/** The status for a parser error, or undefined when it was the connection that failed. */
export function statusOfParserError(error: ClientError): number | undefined {
  const { code = '' } = error;
  if (code === 'HPE_INVALID_VERSION' && namesOtherVersion(packetFromFailingLine(error).text)) return 505; // RFC 9110 15.6.6
  return STATUS.get(code) ?? (code.startsWith('HPE_') ? 400 : undefined);
}

function namesOtherVersion(bytes: string): boolean {
  const version = REQUEST_LINE.exec(bytes)?.[3];
  return version !== undefined && version !== '1.1' && version !== '1.0';
}

/**
 * The request that node's parser stopped at because it does not know the method, or knows it from RTSP only: the parser
 * has a list of methods, but RFC 9110 9.1 allows any token. Undefined when the error is another one, or when the
 * head of the request is malformed, too long, or did not arrive in one piece.
 */
export function requestWithUnknownMethod(error: ClientError): ParsedRequest | undefined {
  const head = headStartingAtMethod(error);
  const end = head.indexOf('\r\n\r\n');
  const [, method = '', target = '', version = ''] = REQUEST_LINE.exec(head) ?? [];
  // When the method is in the list of node, the parser has stopped at something else.
  if (end === -1 || end > MAX_HEAD_BYTES || method === '' || http.METHODS.includes(method)) return undefined;
  const lines = head.slice(head.indexOf('\r\n') + 2, end + 2);
  if (!FIELD_LINES.test(lines)) return undefined;
  const fields = lines.split('\r\n').slice(0, -1).flatMap((line) => {
    const colonAt = line.indexOf(':');
    return [line.slice(0, colonAt), line.slice(colonAt + 1).replace(WHITE_SPACE_AT_ENDS, '')];
  });
  return new ParsedRequest(method, target, version, fields);
}

// RFC 9112 3: method SP request-target SP HTTP-version CRLF; a method is a token (RFC 9110 5.6.2).
const REQUEST_LINE = /^([\w!#$%&'*+\-.^`|~]+) ([!-~]+) HTTP\/(\d\.\d)\r\n/;
// RFC 9110 5.6.3: OWS. Without `(?<!…)` the time would grow with the square of the length of white space inside a value,
// and one packet could stop the process for seconds (ReDoS). `trim` would also remove other characters.
const WHITE_SPACE_AT_ENDS = /^[ \t]+|(?<![ \t])[ \t]+$/g;
// RFC 9112 5: lines of field-name ":" OWS field-value OWS CRLF.
const FIELD_LINES = /^(?:[\w!#$%&'*+\-.^`|~]+:[\t -~\x80-\xff]*\r\n)*$/;

// The packet may hold earlier requests: `text` begins after the last line feed before the error. `readLength` is how
// many characters of it the parser has read.
function packetFromFailingLine({ rawPacket, bytesParsed }: ClientError): { readonly text: string; readonly readLength: number } {
  if (rawPacket === undefined || bytesParsed === undefined) return { text: '', readLength: 0 };
  const start = rawPacket.subarray(0, bytesParsed).lastIndexOf('\n') + 1;
  return { text: rawPacket.toString('latin1', start), readLength: bytesParsed - start };
}

// Methods that the parser knows, but not in a request of HTTP/1.1: those of RTSP, and that of the HTTP/2 preface. After a
// method of RTSP, the parser stops behind the word HTTP.
const OTHER_METHODS = ['ANNOUNCE', 'DESCRIBE', 'FLUSH', 'GET_PARAMETER', 'PAUSE', 'PLAY', 'RECORD', 'REDIRECT', 'SETUP', 'SET_PARAMETER', 'TEARDOWN', 'PRI'];
const WITH_OTHER_METHOD = new RegExp(`(?:${OTHER_METHODS.join('|')}) [!-~]+ HTTP$`);
const PARSER_METHODS = [...http.METHODS, ...OTHER_METHODS];
const LONGEST_METHOD = Math.max(...PARSER_METHODS.map(({ length }) => length));

// Content of an earlier request may be in front of the method: with the content `abc` and the method `GEX`, the parser has
// read `abcGE`. Where the method begins is then a guess, which may be wrong: with the content `P` and the method `UX`, the
// parser has read `PU`. That is the beginning of `PUT`, so the method is taken to be `PUX`.
function headStartingAtMethod(error: ClientError): string {
  const { text, readLength } = packetFromFailingLine(error);
  const read = text.slice(0, readLength);
  if (error.code === 'HPE_INVALID_CONSTANT') return text.slice(WITH_OTHER_METHOD.exec(read)?.index ?? text.length);
  if (error.code !== 'HPE_INVALID_METHOD') return '';
  // The parser stops at the first character that continues no method it knows: of `GEX` it has read `GE`. So the method
  // starts at the first position from which everything up to the end of `read` is a prefix of a known method.
  let start = Math.max(0, readLength - LONGEST_METHOD); // not from the beginning: 64 KiB of content would take 22 ms
  while (!PARSER_METHODS.some((known) => known.startsWith(read.slice(start)))) start += 1;
  return text.slice(start);
}
