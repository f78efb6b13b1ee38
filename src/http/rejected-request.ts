// What node's parser rejects: the status for each error, and the legal requests that are among them.
import { ParsedRequest } from './parsed-request.ts';
import { MAX_HEAD_BYTES } from './request-head.ts';

/** The status for an error of the parser, by its code and the first bytes of the request. */
export function statusOfParserError(code: string | undefined, bytes: Buffer | undefined): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431; // RFC 6585 5
  if (code === 'HPE_PAUSED_H2_UPGRADE') return 505; // the HTTP/2 preface: RFC 9113 3.4
  const version = REQUEST_LINE.exec(bytes?.toString('latin1') ?? '')?.[3];
  return version === undefined || version === '1.1' || version === '1.0' ? 400 : 505; // RFC 9110 15.6.6
}

/**
 * The request in `bytes` that node's parser has rejected because of its method: the parser has a list of methods, but
 * RFC 9110 9.1 allows any token. Undefined when the error is another one, or the head is malformed, too long or not whole.
 */
export function requestWithUnknownMethod(code: string | undefined, bytes: Buffer | undefined): ParsedRequest | undefined {
  // The second code is for methods of other protocols that are in the list, such as those of RTSP.
  if (bytes === undefined || (code !== 'HPE_INVALID_METHOD' && code !== 'HPE_INVALID_CONSTANT')) return undefined;
  const head = bytes.toString('latin1');
  const [line = '', method = '', target = '', version = ''] = REQUEST_LINE.exec(head) ?? [];
  const lines = head.slice(line.length, -2);
  if (method === '' || !head.endsWith('\r\n\r\n') || head.length > MAX_HEAD_BYTES || !FIELD_LINES.test(lines)) return undefined;
  const fields = lines.split('\r\n').slice(0, -1).flatMap((field) => {
    const colonAt = field.indexOf(':');
    return [field.slice(0, colonAt), field.slice(colonAt + 1).replace(WHITE_SPACE_AT_ENDS, '')];
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
