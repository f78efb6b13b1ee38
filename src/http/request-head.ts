// The version and the fields of a request: the rules of RFC 9110 and RFC 9112 that node's parser does not check. A
// rule that is there because of an attack says so.
import { isHost } from './request-target.ts';

/** The most that a request may carry as content, in bytes. Every byte is discarded: no endpoint wants any. */
export const MAX_CONTENT_BYTES = 64 * 1024;
/** Node refuses a head when its target, field names and values have this many bytes or more. */
export const MAX_HEAD_BYTES = 16 * 1024;
export const MAX_HEADER_LINES = 100; // browsers send about 20; each line costs memory and time

export type Head = {
  /** The status that refuses the request, or 0 when its head is legal. */
  readonly refusalStatus: number;
  readonly host: string | undefined;
  /** The value of `traceparent`; of two values, neither is used. */
  readonly traceparent: string | undefined;
  /** How many bytes of content follow, which are received before the request is answered. Undefined: it is chunked. */
  readonly contentLength: number | undefined;
  /** The connection ends with the reply, whatever node's parser says. */
  readonly mustBeLast: boolean;
};

/** Checks the version and the header fields (names and values, in turn) of a request. */
export function parseHead(httpVersion: string, fields: readonly string[]): Head {
  const isHttp11 = httpVersion === '1.1';
  if (!isHttp11 && httpVersion !== '1.0') return illegalHead(505); // RFC 9110 15.6.6
  if (fields.length > 2 * MAX_HEADER_LINES) return illegalHead(431); // RFC 6585 5

  let host, contentLength, transferEncoding, expectation, traceparent: string | undefined;
  let asksToUpgrade = false, asksToClose = false;
  for (let i = 0; i < fields.length; i += 2) {
    const value = fields[i + 1] ?? '';
    switch (fields[i]?.toLowerCase()) { // RFC 9110 5.1: field names are case-insensitive
      case 'host': host = joined(host, value); break;
      case 'content-length': contentLength = joined(contentLength, value); break;
      case 'transfer-encoding': transferEncoding = joined(transferEncoding, value); break;
      case 'expect': expectation = joined(expectation, value); break;
      case 'traceparent': traceparent = joined(traceparent, value); break;
      case 'upgrade': asksToUpgrade = true; break;
      case 'connection': asksToClose ||= CLOSE.test(value); break; // RFC 9112 9.6
    }
  }

  // RFC 9112 3.2: exactly one Host. With two, a proxy could have routed or cached by the other one.
  if (host === undefined ? isHttp11 : !isHost(host)) return illegalHead(400);
  // RFC 9112 6.1 to 6.3: only one field may say where the content ends, or requests can be smuggled in it.
  if (contentLength !== undefined && transferEncoding !== undefined) return illegalHead(400);
  if (transferEncoding !== undefined && !(isHttp11 && transferEncoding.toLowerCase() === 'chunked')) return illegalHead(400);
  if (contentLength !== undefined && !/^(?:0|[1-9]\d*)$/.test(contentLength)) return illegalHead(400);
  const length = Number(contentLength ?? 0);
  if (length > MAX_CONTENT_BYTES) return illegalHead(413); // RFC 9110 15.5.14
  // RFC 9110 10.1.1: HTTP/1.0 has no expectations, and 100-continue is the only one there is.
  const expects = isHttp11 && expectation !== undefined;
  if (expects && expectation?.toLowerCase() !== '100-continue') return illegalHead(417);

  // Behind such a request, nobody can tell where the next one begins: node's parser skips bytes behind a request to upgrade, and
  // a client that expects 100 sends its content or not when it gets another status.
  const isAnsweredAtOnce = asksToUpgrade || expects;
  return {
    refusalStatus: 0,
    host,
    traceparent: traceparent?.includes(',') ? undefined : traceparent,
    contentLength: isAnsweredAtOnce ? 0 : transferEncoding === undefined ? length : undefined,
    mustBeLast: isAnsweredAtOnce || asksToClose,
  };
}

// RFC 9110 5.3: two lines of a field mean one with both values and a comma between them. For the fields joined here, a value
// with a comma is illegal, or ignored (`traceparent`).
const joined = (earlier: string | undefined, value: string) => (earlier === undefined ? value : `${earlier}, ${value}`);

// RFC 9110 7.6.1: a list of options, in any case. Node's parser does not find all of them, for example with a tab behind.
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;

// RFC 9110 6.5.1 forbids Connection in trailers, but node's parser obeys it there. Of more than 100 lines, node 20 drops some unseen.
/** Whether trailers (names and values, in turn) make their request the last one. */
export function endConnection(trailers: readonly string[]): boolean {
  return trailers.length > 2 * MAX_HEADER_LINES || trailers.some((name, i) => i % 2 === 0 && /^(?:proxy-)?connection$/i.test(name));
}

function illegalHead(status: number): Head {
  return { refusalStatus: status, host: undefined, traceparent: undefined, contentLength: 0, mustBeLast: true };
}
