// What node's parser gives up on, and the reply that it deserves.
import { http } from './node-http.ts';
import { emptyReply, type Reply } from './reply.ts';
import { readTarget } from './request-target.ts';

const STATUS: ReadonlyMap<unknown, number> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408], // RFC 9110 15.5.9
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['HPE_HEADER_OVERFLOW', 431], // RFC 6585 5
  ['HPE_PAUSED_H2_UPGRADE', 505], // the HTTP/2 preface: RFC 9113 3.4
  // Node stopped its parser, because replies wait to be sent, and gave it more all the same (over TLS).
  ['HPE_PAUSED', 503], // RFC 9110 15.6.4: the client may try again
]);

// Here the parser stops inside a request line that may be quite legal: it knows a list of methods, not
// the grammar of a method.
const REQUEST_LINE_ERRORS: readonly unknown[] = ['HPE_INVALID_METHOD', 'HPE_INVALID_VERSION'];

// RFC 9112 3: method SP request-target SP HTTP-version CRLF; a method is a token (RFC 9110 5.6.2).
const REQUEST_LINE = /^([\w!#$%&'*+\-.^`|~]+) ([!-~]+) HTTP\/(\d\.\d)\r\n/;

/**
 * The reply to a parser error, or undefined when it was the connection that failed: nobody listens.
 * `answer` has the reply to a method that the parser does not know.
 */
export function replyToParserError(error: Error, answer: (method: string, path: string) => Reply): Reply | undefined {
  const code = 'code' in error ? error.code : undefined;
  if (REQUEST_LINE_ERRORS.includes(code)) return replyToRequestLine(requestLineBytes(error), answer);
  const status = STATUS.get(code) ?? (String(code).startsWith('HPE_') ? 400 : undefined);
  return status === undefined ? undefined : emptyReply(status);
}

function replyToRequestLine(bytes: string, answer: (method: string, path: string) => Reply): Reply {
  const [, method = '', target = '', version] = REQUEST_LINE.exec(bytes) ?? [];
  if (version === undefined) return emptyReply(400);
  if (version !== '1.1' && version !== '1.0') return emptyReply(505); // RFC 9110 15.6.6
  const path = readTarget(method, target, undefined)?.path;
  // A method that the parser knows is not what it stumbled over: these are bytes of something else.
  if (path === undefined || http.METHODS.includes(method)) return emptyReply(400);
  return answer(method, path);
}

// The packet may hold earlier requests: the line starts after the last line feed before the error.
function requestLineBytes(error: Error): string {
  if (!('rawPacket' in error && Buffer.isBuffer(error.rawPacket) && 'bytesParsed' in error)) return '';
  const parsed = error.rawPacket.subarray(0, Number(error.bytesParsed));
  return error.rawPacket.toString('latin1', parsed.lastIndexOf('\n') + 1);
}
