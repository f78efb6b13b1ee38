// What an endpoint is given and what it returns: plain values, no socket in sight.
import { http } from './node-modules.ts';

/** What an endpoint may know of a request. */
export type Request = {
  /** The query without its `?`, as sent; empty when there is none. */
  readonly query: string;
  /** A W3C Trace Context `traceparent`; drawn when it is first asked for. */
  readonly traceId: string;
};

export type Reply = {
  readonly status: number;
  /** The status line and the field lines (RFC 9112 4, 5), each with its line end. */
  readonly head: string;
  /** The content as it goes out: a character for each byte. */
  readonly body: string;
};

export type Endpoint = (request: Request) => Reply;

// A fixed choice, because nothing from outside may get into a field line unchecked (response splitting).
type ContentType = 'application/json' | 'application/json; charset=utf-8' | 'application/problem+json' | 'text/plain';

/**
 * A reply with content. It is never stored by a cache (it was true at that moment only) and never
 * sniffed for another type (OWASP REST Security Cheat Sheet).
 */
export function contentReply(status: number, contentType: ContentType, content: string): Reply {
  const length = Buffer.byteLength(content);
  return {
    status,
    head: `${statusLine(status)}Content-Type: ${contentType}\r\nContent-Length: ${length}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n`,
    body: length === content.length ? content : Buffer.from(content).toString('latin1'), // ASCII is as it goes out
  };
}

/** A reply without content: the status and `fieldLines` say it all. */
export function emptyReply(status: number, fieldLines = ''): Reply {
  return { status, head: `${statusLine(status)}${fieldLines}Content-Length: 0\r\n`, body: '' };
}

/** A field line. Throws when there is a line break or another control character in the value (response splitting). */
export function fieldLine(name: string, value: string): string {
  http.validateHeaderValue(name, value);
  return `${name}: ${value}\r\n`;
}

function statusLine(status: number): string {
  return `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n`;
}
