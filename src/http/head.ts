// The rules for a whole head (RFC 9110, RFC 9112). A rule that guards against an attack says so.
import type { Fields } from './fields.ts';
import { SIZE_LIMITS } from './limits.ts';
import type { Reason } from './refusals.ts';
import { LegalRequest } from './request.ts';
import type { RequestLine } from './request-line.ts';
import { faultInHost, isHost, isHostOf, type RefuseHost } from './request-target.ts';

/** The request that the request line and the fields of a head amount to, or the rule that they break. */
export function judgeHead({ method, target, isHttp11 }: RequestLine, fields: Fields, refuseHost: RefuseHost): LegalRequest | Reason {
  const { path, query, authority, isHttps = false } = target;
  const { connection = '', expect, traceparent: parent, 'content-length': contentLength, 'transfer-encoding': codings } = fields;

  // RFC 9112 3.2: exactly one Host, the same as in the target. With two, a proxy could have routed or cached by the other one.
  const host = fields.host ?? (isHttp11 ? undefined : authority); // RFC 9112 3.2.2: HTTP/1.0 may name it in the target alone
  if (host === undefined && isHttp11) return 'hostMissing';
  if (host !== undefined && !isHost(host)) return faultInHost(host);
  if (host !== undefined && !isHostOf(target, host)) return 'hostMismatch';
  const fault = faultInFraming(contentLength, codings, isHttp11);
  if (fault !== undefined) return fault;
  const length = Number(contentLength ?? 0);
  if (length > SIZE_LIMITS.contentBytes) return 'contentTooLong'; // RFC 9110 15.5.14
  const expectations = isHttp11 ? expect : undefined; // RFC 9110 10.1.1: HTTP/1.0 has none
  if (expectations?.split(',').every((member) => EXPECTED_OR_EMPTY.test(member)) === false) return 'expectationUnknown';
  const refusal = refuseHost(host, isHttps); // RFC 9110 15.5.20
  if (refusal !== undefined) return refusal;
  if (method === 'CONNECT') return 'connectUnsupported'; // RFC 9110 15.6.2: no resource here supports it: the service is not a proxy

  // A client that expects 100 but gets another status may send its content or leave it out. So nobody can tell whether it follows.
  const isExpecting = expectations !== undefined && CONTINUE.test(expectations);
  const isAnsweredAtOnce = isExpecting && (codings !== undefined || length > 0);
  return new LegalRequest({
    method, path, query, host, parent,
    contentLength: isAnsweredAtOnce ? 0 : codings === undefined ? length : undefined,
    isLast: isAnsweredAtOnce || CLOSE.test(connection) || !(isHttp11 || KEEP_ALIVE.test(connection)), // RFC 9112 9.3
  });
}

// RFC 9112 6.1 to 6.3: only one field may say where the content ends, and in one way only, or requests can be smuggled in it.
function faultInFraming(length: string | undefined, codings: string | undefined, isHttp11: boolean): Reason | undefined {
  if (codings === undefined) return length === undefined || LENGTH.test(length) ? undefined : faultInLength(length);
  if (length !== undefined) return 'lengthAndCoding';
  if (!isHttp11) return 'codingInHttp10';
  if (EMPTY.test(codings)) return 'codingEmpty';
  if (!CHUNKED_LAST.test(codings)) return 'codingNotChunked';
  if (CHUNKED_BEFORE.test(codings)) return 'chunkedTwice';
  return codings.includes(',') ? 'codingUnsupported' : undefined; // chunked is the only coding that is supported here
}

const LENGTH = /^(?:0|[1-9]\d*)$/;

function faultInLength(length: string): Reason {
  if (length.includes(',')) return 'lengthTwice'; // fields.ts joins two with a comma
  return /^0\d+$/.test(length) ? 'lengthLeadingZero' : 'lengthIllegal';
}

// RFC 9110 5.6.1: the members of a list. Their case does not matter in these fields, and empty ones do not count (5.6.1.2).
const member = (text: string) => new RegExp(`(?:^|,)[ \\t]*${text}[ \\t]*(?:,|$)`, 'i');
const [CLOSE, KEEP_ALIVE, CONTINUE] = [member('close'), member('keep-alive'), member('100-continue')];
const EMPTY = /(?:^|,)[ \t]*(?:,|$)/;
const EXPECTED_OR_EMPTY = /^[ \t]*(?:100-continue[ \t]*)?$/i;
const CHUNKED_LAST = /(?:^|,)[ \t]*chunked[ \t]*$/i;
const CHUNKED_BEFORE = /(?:^|,)[ \t]*chunked[ \t]*,/i;
