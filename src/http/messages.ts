// Requests, refusals and replies as plain values: no socket, so tests need none.
import type { Reason } from './refusals.ts';
import { childTraceparent } from './trace-context.ts';

/** What ties a request to a trace: the `traceparent` that its client has sent, and its own, once that is needed. */
type Traced = { readonly parent: string | undefined; own?: string };

/** The `traceparent` of a request itself, in the trace of its client, if any. It is generated when first asked for: few need it. */
export function traceparentOf(request: Traced): string { return (request.own ??= childTraceparent(request.parent)); }

/** A request, as a handler sees it. */
export type Request = Traced & {
  readonly method: string;
  readonly path: string; // without the query. `*` for `OPTIONS *`.
  readonly query: string; // without its `?`, as sent; empty when there is none
  readonly host: string | undefined; // as sent, with the port if there is one. HTTP/1.0 may leave it out.
};

/** A request that breaks no rule, with what only the connection needs to know. */
export type LegalRequest = Request & {
  readonly contentLength: number | undefined; // how many bytes of content are read before the reply. Undefined: it is chunked.
  readonly isLast: boolean; // the connection ends with the reply
};

/** What is known of a request, for the log. The path of a refused target has no authority, and may be empty. */
export type Known = Traced & Partial<Pick<Request, 'method' | 'path'>>;

/** A refused request, and the rule that it breaks. */
export type Refusal = { readonly reason: Reason; readonly request: Known };

export type Reply = {
  readonly status: number; // a final one that allows content: not 204, 205 or 304
  readonly fields: readonly string[]; // alternating names and values, of the header fields, except those that the server adds
  readonly body: string;
};

/** Answers a request, at once: no handler is asynchronous. What it throws becomes a 500. */
export type Handler = (request: Request) => Reply;

/** A reply with the content `body`. */
export function contentReply(status: number, contentType: string, body: string): Reply {
  // Content may soon be out of date, so caches must not store it. Browsers must not guess another type (OWASP REST Security Cheat Sheet).
  return { status, fields: ['Content-Type', contentType, 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'], body };
}

/** A reply without content: the status and `fields` (alternating names and values) are all that it says. */
export function emptyReply(status: number, fields: readonly string[] = []): Reply {
  return { status, fields, body: '' };
}

/** The 400 for parameters that break their rules, a problem document (RFC 9457): `errors` maps each of them to what is wrong with it. */
export function validationProblem(errors: Readonly<Record<string, readonly string[]>>, traceId: string): Reply {
  const type = 'https://tools.ietf.org/html/rfc9110#section-15.5.1';
  const document = { type, title: 'One or more validation errors occurred.', status: 400, errors, traceId };
  return contentReply(400, 'application/problem+json', JSON.stringify(document));
}

/** The 500 for an unexpected error. It says nothing about the error: that is for the log. `instance` is the path without the query. */
export function unexpectedProblem(instance: string): Reply {
  // RFC 9457 4.2.1: a document without a `type` has the type `about:blank`.
  const document = { title: 'An unexpected error occurred.', status: 500, detail: 'Contact support if the problem persists.', instance };
  return contentReply(500, 'application/problem+json', JSON.stringify(document));
}
