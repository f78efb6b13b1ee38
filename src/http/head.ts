// The rules for a whole head (RFC 9110, RFC 9112). A rule that guards against an attack says so.
import type { Fields } from './fields.ts';
import { SIZE_LIMITS } from './limits.ts';
import { LegalRequest } from './request.ts';
import type { RequestLine } from './request-line.ts';
import { isHost, isHostOf, type IsAllowed } from './request-target.ts';

/** The request that the request line and the fields of a head amount to, or the status to refuse it with. */
export function judgeHead({ method, target, isHttp11 }: RequestLine, fields: Fields, isAllowed: IsAllowed): LegalRequest | number {
  const { path, query, authority, isHttps = false } = target;
  const { connection = '', expect, traceparent: parent, 'content-length': contentLength, 'transfer-encoding': transferEncoding } = fields;

  // RFC 9112 3.2: exactly one Host, the same as in the target. With two, a proxy could have routed or cached by the other one.
  const host = fields.host ?? (isHttp11 ? undefined : authority); // RFC 9112 3.2.2: HTTP/1.0 may name it in the target alone
  if (host === undefined ? isHttp11 : !(isHost(host) && isHostOf(target, host))) return 400;
  // RFC 9112 6.1 to 6.3: only one field may say where the content ends, or requests can be smuggled in it.
  if (contentLength !== undefined && transferEncoding !== undefined) return 400;
  if (transferEncoding !== undefined && !(isHttp11 && CHUNKED_LAST.test(transferEncoding))) return 400;
  if (transferEncoding?.includes(',') === true) return 501; // RFC 9112 6.1: chunked is the only coding that is supported here
  if (contentLength !== undefined && !/^(?:0|[1-9]\d*)$/.test(contentLength)) return 400;
  const length = Number(contentLength ?? 0);
  if (length > SIZE_LIMITS.contentBytes) return 413; // RFC 9110 15.5.14
  const expects = isHttp11 && expect !== undefined; // RFC 9110 10.1.1: HTTP/1.0 has no expectations,
  if (expects && expect.toLowerCase() !== '100-continue') return 417; // and this is the only one there is
  if (!isAllowed(host, isHttps)) return 421; // RFC 9110 15.5.20
  if (method === 'CONNECT') return 501; // RFC 9110 15.6.2: no resource here supports it, because the service is not a proxy

  // A client that expects 100 but gets another status may send its content or leave it out. So nobody can tell whether it follows.
  const isAnsweredAtOnce = expects && (transferEncoding !== undefined || length > 0);
  return new LegalRequest({
    method, path, query, host, parent,
    contentLength: isAnsweredAtOnce ? 0 : transferEncoding === undefined ? length : undefined,
    isLast: isAnsweredAtOnce || CLOSE.test(connection) || !(isHttp11 || KEEP_ALIVE.test(connection)), // RFC 9112 9.3
  });
}

const CHUNKED_LAST = /^(?:.*[^ \t,][ \t]*,[ \t]*)?chunked$/i;

// RFC 9110 7.6.1: Connection is a list of options; their case does not matter.
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;
const KEEP_ALIVE = /(?:^|,)[ \t]*keep-alive[ \t]*(?:,|$)/i;
