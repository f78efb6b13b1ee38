// A request of a test, and the reply that it must get.
import type { WireReply } from '../wire.ts';

export type Part = {
  /** One character for each byte. */
  readonly bytes: string;
  readonly status: number;
  /** What the body begins with; empty: there is none. */
  readonly body: string;
  /** A header line that the reply has, if one is to be looked for. */
  readonly header?: string;
  /** After the reply to it the service closes the connection. */
  readonly isLast: boolean;
};

/** The same part, sent to a service that drains: it is the last one. */
export function drained(part: Part): Part {
  const isHealthy = part.body === 'Healthy';
  return { ...part, isLast: true, ...(isHealthy && { status: 503, body: 'Unhealthy' }) };
}

/** Whether `reply` is the reply to `part`. Its Connection field is not compared. */
export function isReplyTo({ status, body, header }: Part, reply: WireReply): boolean {
  const hasBody = body === '' ? reply.body === '' : reply.body.startsWith(body);
  return reply.status === status && hasBody && (header === undefined || reply.headers.includes(header));
}

/** Throws when `replies` are not those that `parts` must get. */
export function checkReplies(replies: readonly WireReply[], parts: readonly Part[]): void {
  parts.forEach((part, i) => {
    const reply = replies[i];
    if (reply === undefined || !isReplyTo(part, reply)) throw new Error(`${JSON.stringify(part.bytes.slice(0, 300))} was answered with ${JSON.stringify(reply)}.`);
  });
  if (replies.length > parts.length) throw new Error(`${replies.length} replies to ${parts.length} requests.`);
}
