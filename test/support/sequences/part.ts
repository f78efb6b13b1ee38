// A request, and the reply that it must get.
import type { Reply } from '../replies.ts';

/** What a reply must be. */
export type Expected = {
  readonly status: number;
  /** What the body begins with; empty: there is none. */
  readonly body: string;
  /** The service closes the connection after it. */
  readonly isLast: boolean;
};

/** A request, and the reply to it; undefined: nobody can tell which, so what follows is not judged by its reply. */
export type Part = { /** One character for each byte. */ readonly bytes: string; readonly reply: Expected | undefined };

/** The same reply of a service that drains: it is the last one. */
export function drained(expected: Expected): Expected {
  const isHealthy = expected.body === 'Healthy';
  return { ...expected, isLast: true, ...(isHealthy && { status: 503, body: 'Unhealthy' }) };
}

/** Whether `reply` asks the client to send no other request. */
export const isClosing = ({ headers }: Reply): boolean => headers.includes('Connection: close');

/** Whether `reply` is as expected. */
export function isAsExpected({ status, body, isLast }: Expected, reply: Reply): boolean {
  const hasBody = body === '' ? reply.body === '' : reply.body.startsWith(body);
  return reply.status === status && hasBody && isClosing(reply) === isLast;
}

/** How many bytes come before the request itself: CR LF in front of it does not belong to it. */
export const emptyLines = ({ bytes }: Part): number => Math.max(0, bytes.search(/[^\r\n]/));

/** How many bytes come before the end of the head. */
export const headLength = (part: Part): number => part.bytes.indexOf('\r\n\r\n', emptyLines(part)) + 4;
