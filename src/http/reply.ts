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
  /** The field lines (RFC 9112 5) that the reply brings along, each with its line end. */
  readonly headers: string;
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
    headers: `Content-Type: ${contentType}\r\nContent-Length: ${length}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n`,
    body: length === content.length ? content : Buffer.from(content).toString('latin1'), // ASCII is as it goes out
  };
}

// RFC 9457: what a client is told when a request cannot be served.
function problemReply(status: number, document: object): Reply {
  return contentReply(status, 'application/problem+json', JSON.stringify(document));
}

/** The 400 for parameters that break their rules: `errors` maps a parameter to what is wrong with it. */
export function validationProblem(errors: Readonly<Record<string, string[]>>, traceId: string): Reply {
  return problemReply(400, {
    type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
    title: 'One or more validation errors occurred.',
    status: 400,
    errors,
    traceId,
  });
}

/**
 * The 500 for whatever nobody expected. Nothing of the error is in it: that is for the log.
 * Without a `type` it reads as `about:blank` (RFC 9457 4.2.1). `path` comes without the query.
 */
export function unexpectedProblem(path: string): Reply {
  return problemReply(500, {
    title: 'An unexpected error occurred.',
    status: 500,
    detail: 'Contact support if the problem persists.',
    instance: path,
  });
}

/** A reply without content: the status and `fieldLines` say it all. */
export function emptyReply(status: number, fieldLines = ''): Reply {
  return { status, headers: `${fieldLines}Content-Length: 0\r\n`, body: '' };
}
