// The rules for a whole head (RFC 9110, RFC 9112). A rule that guards against an attack says so.
import { addValue, withoutSpace, type Fields } from './fields.ts';
import { SIZE_LIMITS } from './limits.ts';
import type { LegalRequest, Refusal } from './messages.ts';
import type { Reason } from './refusals.ts';
import { loggablePartsOf, parseRequestLine, type RequestLine } from './request-line.ts';
import { faultInHost, isHostOf, type RefuseHost } from './request-target.ts';

/** The request that the request line and the fields of a head amount to, or the rule that they break. */
export function judgeHead({ method, target, isHttp11 }: RequestLine, fields: Fields, refuseHost: RefuseHost): LegalRequest | Reason {
  const { connection, expect, traceparent: parent, 'content-length': contentLength, 'transfer-encoding': codings } = fields;

  // RFC 9112 3.2: exactly one Host, the same as in the target. With two, a proxy could have routed or cached by the other one.
  const host = fields.host ?? (isHttp11 ? undefined : target.authority); // RFC 9112 3.2.2: HTTP/1.0 may name it in the target alone
  if (host === undefined && isHttp11) return 'hostMissing';
  const hostFault = host === undefined ? undefined : faultInHost(host) ?? (isHostOf(target, host) ? undefined : 'hostMismatch');
  const fault = hostFault ?? faultInFraming(contentLength, codings, isHttp11);
  if (fault !== undefined) return fault;
  const length = Number(contentLength ?? 0);
  if (length > SIZE_LIMITS.contentBytes) return 'contentTooLong'; // RFC 9110 15.5.14
  const expectations = isHttp11 ? membersOf(expect).filter((member) => member !== '') : []; // RFC 9110 10.1.1: HTTP/1.0 has none
  if (expectations.some((member) => member !== '100-continue')) return 'expectationUnknown';
  const refusal = refuseHost(host, target.isHttps); // RFC 9110 15.5.20
  if (refusal !== undefined) return refusal;

  // A client that expects 100 but gets another status may send its content or leave it out. So nobody can tell whether it follows.
  const isAnsweredAtOnce = expectations.length > 0 && (codings !== undefined || length > 0);
  const options = membersOf(connection);
  return {
    method, path: target.path, query: target.query, host, parent,
    contentLength: isAnsweredAtOnce ? 0 : codings === undefined ? length : undefined,
    isLast: isAnsweredAtOnce || options.includes('close') || !(isHttp11 || options.includes('keep-alive')), // RFC 9112 9.3
  };
}

/** The request, or its refusal, for a head that Node has parsed. `rawFields`: names and values, alternating. */
export function judgeParsed(line: string, rawFields: readonly string[], refuseHost: RefuseHost): LegalRequest | Refusal {
  const parsed = parseRequestLine(line), fields: Fields = {};
  rawFields.forEach((name, at) => { if (at % 2 === 0) addValue(fields, name, String(rawFields[at + 1])); });
  const hasTooMany = rawFields.length > 2 * SIZE_LIMITS.fieldLines;
  const judged = typeof parsed === 'string' ? parsed : hasTooMany ? 'tooManyFieldLines' : judgeHead(parsed, fields, refuseHost);
  return typeof judged === 'string' ? { reason: judged, request: loggablePartsOf(line, fields.traceparent) } : judged;
}

// RFC 9112 6.1 to 6.3: only one field may say where the content ends, and in one way only, or requests can be smuggled in it.
function faultInFraming(length: string | undefined, codings: string | undefined, isHttp11: boolean): Reason | undefined {
  if (codings === undefined) {
    if (length === undefined || /^(?:0|[1-9]\d*)$/.test(length)) return undefined;
    if (length.includes(',')) return 'lengthTwice'; // fields.ts joins two with a comma
    return /^0\d+$/.test(length) ? 'lengthLeadingZero' : 'lengthIllegal';
  }
  if (length !== undefined) return 'lengthAndCoding';
  if (!isHttp11) return 'codingInHttp10';
  const members = membersOf(codings);
  if (members.includes('')) return 'codingEmpty';
  if (members.at(-1) !== 'chunked') return 'codingNotChunked';
  if (members.indexOf('chunked') < members.length - 1) return 'chunkedTwice';
  return members.length > 1 ? 'codingUnsupported' : undefined; // chunked is the only coding that is supported here
}

// RFC 9110 5.6.1: the members of a list, some of which may be empty. In the fields that are read here, their case does not matter.
const membersOf = (list: string | undefined) => (list === undefined ? [] : list.toLowerCase().split(',').map(withoutSpace));
