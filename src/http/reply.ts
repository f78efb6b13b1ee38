// What an endpoint is given and what it returns: plain values, no socket in sight.

/** What an endpoint may know of a request. */
export type Request = {
  /** The query without its `?`, as sent; empty when there is none. */
  readonly query: string;
  /** A W3C Trace Context `traceparent`; drawn when it is first asked for. */
  readonly traceId: string;
};

export type Reply = {
  readonly status: number;
  /** Name, value, name, value …: the flat list that node's `writeHead` takes as it is. */
  readonly headers: string[];
  readonly body: string;
  /** ASCII goes out as `latin1`, the same bytes as UTF-8 at a lower price. */
  readonly encoding: 'latin1' | 'utf8';
};

export type Endpoint = (request: Request) => Reply;

/**
 * A reply with content. It is never stored by a cache (it was true at that moment only) and never
 * sniffed for another type (OWASP REST Security Cheat Sheet).
 */
export function contentReply(status: number, contentType: string, body: string): Reply {
  const length = Buffer.byteLength(body);
  return {
    status,
    headers: [
      'Content-Type', contentType,
      'Content-Length', String(length),
      'Cache-Control', 'no-store',
      'X-Content-Type-Options', 'nosniff',
    ],
    body,
    encoding: length === body.length ? 'latin1' : 'utf8',
  };
}

/** A reply without content: the status and `headers` (name, value, …) say it all. */
export function emptyReply(status: number, ...headers: string[]): Reply {
  return { status, headers: [...headers, 'Content-Length', '0'], body: '', encoding: 'latin1' };
}
