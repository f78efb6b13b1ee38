// Replies as plain values, and the type of the functions that make them.
import type { Request } from './request.ts';

export type Reply = {
  readonly status: number;
  readonly fields: readonly string[]; // alternating names and values, of the header fields, except those that the responder adds
  readonly body: string;
};

/** Answers a request, at once: no handler is asynchronous. What it throws becomes a 500. */
export type Handler = (request: Request) => Reply;

// Only these, because nothing from outside may get into a field unchecked (response splitting).
type ContentType = 'application/json' | 'application/json; charset=utf-8' | 'application/problem+json' | 'text/plain';

/** A reply with the content `body`. */
export function contentReply(status: number, contentType: ContentType, body: string): Reply {
  // Content may soon be out of date, so caches must not store it. Browsers must not guess another type (OWASP REST Security Cheat Sheet).
  return { status, fields: ['Content-Type', contentType, 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'], body };
}

/** A reply without content: the status and `fields` (alternating names and values) are all that it says. */
export function emptyReply(status: number, fields: readonly string[] = []): Reply {
  return { status, fields, body: '' };
}
