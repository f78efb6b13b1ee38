// What node's parser lets through and RFC 9112 does not. Each rule names the attack it prevents.
import { isHost } from './request-target.ts';

/** The most that a request may carry as content, in bytes. Every byte is discarded: no endpoint wants any. */
export const MAX_CONTENT_BYTES = 64 * 1024;
const MAX_HEADER_LINES = 100; // browsers send about 20; each line costs memory and time

export type Head = {
  /** The status that refuses the request, or 0. */
  readonly refusal: number;
  readonly host: string | undefined;
  /** Content follows, and is to be read before the answer. */
  readonly hasContent: boolean;
  /** The value of `traceparent`; two are none. */
  readonly traceparent: string | undefined;
  /** The answer is the last one on its connection. */
  readonly isLast: boolean;
};

/** Checks the version and the header fields (a flat list of names and values) of a request. */
export function readHead(httpVersion: string, fields: readonly string[]): Head {
  const isHttp11 = httpVersion === '1.1';
  if (!isHttp11 && httpVersion !== '1.0') return refused(505); // RFC 9110 15.6.6
  if (fields.length > 2 * MAX_HEADER_LINES) return refused(431); // RFC 6585 5

  let host, contentLength, transferEncoding, expectation, traceparent: string | undefined;
  let hosts = 0, contentLengths = 0, transferEncodings = 0, expectations = 0, traceparents = 0;
  let upgrades = false;
  for (let i = 0; i < fields.length; i += 2) {
    // Lengths first: comparing names in any case is dearer, and few names share a length.
    switch (fields[i]?.length) {
      case 4: if (isNamed(fields[i], 'host')) { host = fields[i + 1]; hosts += 1; } break;
      case 6: if (isNamed(fields[i], 'expect')) { expectation = fields[i + 1]; expectations += 1; } break;
      case 7: if (isNamed(fields[i], 'upgrade')) upgrades = true; break;
      case 11: if (isNamed(fields[i], 'traceparent')) { traceparent = fields[i + 1]; traceparents += 1; } break;
      case 14: if (isNamed(fields[i], 'content-length')) { contentLength = fields[i + 1]; contentLengths += 1; } break;
      case 17: if (isNamed(fields[i], 'transfer-encoding')) { transferEncoding = fields[i + 1]; transferEncodings += 1; } break;
    }
  }

  // RFC 9112 3.2: one Host, so that no proxy has routed or cached by another one.
  if (hosts > 1 || (isHttp11 && hosts === 0)) return refused(400);
  if (host !== undefined && !isHost(host)) return refused(400);
  // RFC 9112 6.1 to 6.3: one way to find the end of the content, or requests can be smuggled in it.
  if (contentLengths + transferEncodings > 1) return refused(400);
  if (transferEncoding !== undefined && !(isHttp11 && isNamed(transferEncoding, 'chunked'))) return refused(400);
  if (contentLength !== undefined && !/^(?:0|[1-9]\d*)$/.test(contentLength)) return refused(400);
  const length = Number(contentLength ?? 0);
  if (length > MAX_CONTENT_BYTES) return refused(413); // RFC 9110 15.5.14
  // RFC 9110 10.1.1: HTTP/1.0 has no expectations, and 100-continue is the only one there is.
  const expects = isHttp11 && expectation !== undefined;
  if (expects && !(expectations === 1 && isNamed(expectation, '100-continue'))) return refused(417);

  return {
    refusal: 0,
    host,
    traceparent: traceparents === 1 ? traceparent : undefined,
    hasContent: (length > 0 || transferEncoding !== undefined) && !expects,
    // After a request to upgrade, node's parser skips what has come with it; after a final status
    // instead of a 100, the content may come or not. Either way the next request can't be found.
    isLast: upgrades || expects,
  };
}

function refused(status: number): Head {
  return { refusal: status, host: undefined, traceparent: undefined, hasContent: false, isLast: true };
}

// RFC 9110 5.1: field names are case-insensitive, and so are the tokens compared here.
function isNamed(text: string | undefined, lowerCase: string): boolean {
  return text === lowerCase || text?.toLowerCase() === lowerCase;
}
