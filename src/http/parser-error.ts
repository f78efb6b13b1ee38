// The errors of node's parser: the status for each, and the legal requests that are among them.
import { http } from './node-http.ts';
import { ParsedRequest } from './parsed-request.ts';

const STATUS: ReadonlyMap<unknown, number> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408], // RFC 9110 15.5.9
  ['HPE_HEADER_OVERFLOW', 431], // RFC 6585 5
  ['HPE_PAUSED_H2_UPGRADE', 505], // the HTTP/2 preface: RFC 9113 3.4
]);

/** The status for a parser error, or undefined when it was the connection that failed. */
export function statusOfParserError(error: Error): number | undefined {
  const code = codeOf(error);
  if (code === 'HPE_INVALID_VERSION' && namesOtherVersion(textFromRequestLine(error).text)) return 505; // RFC 9110 15.6.6
  return STATUS.get(code) ?? (String(code).startsWith('HPE_') ? 400 : undefined);
}

function namesOtherVersion(bytes: string): boolean {
  const version = REQUEST_LINE.exec(bytes)?.[3];
  return version !== undefined && version !== '1.1' && version !== '1.0';
}

/**
 * The request that node's parser stopped at because it does not know the method: the parser has a list of
 * methods, but RFC 9110 9.1 allows any token. Undefined when the error is another one, or when the head of the
 * request did not arrive in one piece.
 */
export function requestWithUnknownMethod(error: Error): ParsedRequest | undefined {
  if (codeOf(error) !== 'HPE_INVALID_METHOD') return undefined;
  const head = withoutContent(textFromRequestLine(error));
  const end = head.indexOf('\r\n\r\n');
  const [, method = '', target = '', version = ''] = REQUEST_LINE.exec(head) ?? [];
  // When the parser knows the method, it has stopped at something else.
  if (end === -1 || method === '' || http.METHODS.includes(method)) return undefined;
  const lines = head.slice(head.indexOf('\r\n') + 2, end + 2);
  if (!FIELD_LINES.test(lines)) return undefined;
  const fields = lines.split('\r\n').slice(0, -1).flatMap((line) => {
    const colonAt = line.indexOf(':');
    return [line.slice(0, colonAt), line.slice(colonAt + 1).replace(/^[ \t]+|[ \t]+$/g, '')];
  });
  return new ParsedRequest(method, target, version, fields);
}

// RFC 9112 3: method SP request-target SP HTTP-version CRLF; a method is a token (RFC 9110 5.6.2).
const REQUEST_LINE = /^([\w!#$%&'*+\-.^`|~]+) ([!-~]+) HTTP\/(\d\.\d)\r\n/;
// RFC 9112 5: lines of field-name ":" OWS field-value OWS CRLF.
const FIELD_LINES = /^(?:[\w!#$%&'*+\-.^`|~]+:[\t -~\x80-\xff]*\r\n)*$/;

// The packet may hold earlier requests: the request line starts after the last line feed before the error. `readLength`
// is how many characters of it the parser has read.
function textFromRequestLine(error: Error): { readonly text: string; readonly readLength: number } {
  if (!('rawPacket' in error && Buffer.isBuffer(error.rawPacket) && 'bytesParsed' in error)) return { text: '', readLength: 0 };
  const bytesParsed = Number(error.bytesParsed);
  const start = error.rawPacket.subarray(0, bytesParsed).lastIndexOf('\n') + 1;
  return { text: error.rawPacket.toString('latin1', start), readLength: bytesParsed - start };
}

const LONGEST_METHOD = Math.max(...http.METHODS.map(({ length }) => length));

// Content of an earlier request may be in front of the method. The parser reads on as long as a method that it knows
// begins like this, so the method starts where what the parser has read of it is such a beginning.
function withoutContent({ text, readLength }: { readonly text: string; readonly readLength: number }): string {
  let start = Math.max(0, readLength - LONGEST_METHOD); // not from the beginning: 64 KiB of content would take 22 ms
  while (!http.METHODS.some((known) => known.startsWith(text.slice(start, readLength)))) start += 1;
  return text.slice(start);
}

function codeOf(error: Error): unknown {
  return 'code' in error ? error.code : undefined;
}
