// Checks that a client has received the replies that it must get.
import { parseReplies, type WireReply } from '../wire.ts';
import { isReplyTo, type Part } from './part.ts';
import type { Outcome } from './play.ts';
import type { Script } from './script.ts';
import { wholeLength } from './whole-length.ts';

const EARLY_STATUSES = [400, 408]; // for an incomplete request
const STATUSES = new Set([200, 307, 400, 404, 405, 408, 413, 414, 417, 431, 501, 503, 505]);

export type CheckedReplies = {
  readonly replies: readonly WireReply[];
  /** These are all replies that the service has sent: the client has not closed the connection before. */
  readonly isWhole: boolean;
};

/** Throws when the replies in `outcome` are not those that `script` must get. */
export function checkOutcome({ parts, behind }: Script, { received, sent, hasLeft, ended, error }: Outcome): CheckedReplies {
  const whole = wholeLength(received);
  const replies = parseReplies(received.subarray(0, whole));
  checkForm(replies);

  const sentParts = partsWithin(parts, sent);
  const isOver = sentParts.at(-1)?.isLast === true;
  replies.slice(0, sentParts.length).forEach((reply, i) => checkReply(reply, i, sentParts[i]));
  const rest = replies.slice(sentParts.length);
  if (isOver && rest.length > 0) throw new Error(`${replies.length} replies, and the last request was the ${sentParts.length}th.`);
  const next = parts[sentParts.length];
  checkRest(rest, next, behind);

  if (hasLeft) return { replies, isWhole: false };
  if (error !== undefined) throw new Error(`After ${replies.length} replies: ${error.message}`);
  if (!ended) throw new Error(`The service did not end the connection after ${replies.length} replies.`);
  if (whole < received.length) throw new Error(`A reply is incomplete: ${received.toString('latin1', whole)}`);
  if (replies.length < sentParts.length) throw new Error(`${replies.length} replies instead of ${sentParts.length}.`);
  const isIncomplete = next !== undefined && sent > lengthOf(sentParts);
  if (isIncomplete && rest.length === 0) throw new Error('The client ended its side in the middle of a request, and that got no reply.');
  return { replies, isWhole: true };
}

function partsWithin(parts: readonly Part[], sent: number): Part[] {
  let length = 0;
  return parts.filter((part) => (length += part.bytes.length) <= sent);
}

function lengthOf(parts: readonly Part[]): number {
  return parts.reduce((length, { bytes }) => length + bytes.length, 0);
}

function checkForm(replies: readonly WireReply[]): void {
  replies.forEach(({ status, headers, body }, i) => {
    if (!STATUSES.has(status)) throw new Error(`Status ${status}`);
    const [connection, ...others] = headers.filter((header) => header.startsWith('Connection:'));
    const isLast = connection === 'Connection: close';
    if (others.length > 0 || !(isLast || connection === 'Connection: keep-alive')) throw new Error(`Reply ${i}: ${headers.join()}`);
    if (isLast && i < replies.length - 1) throw new Error(`A reply comes after the last one: ${JSON.stringify(replies.slice(i))}`);
    if (headers.filter((header) => header === 'Date: now').length !== 1) throw new Error(`Not one Date: ${headers.join()}`);
    const mayHaveBody = [200, 400, 503].includes(status) && headers.some((header) => header.startsWith('Content-Type: '));
    if ((body !== '') !== mayHaveBody) throw new Error(`A reply ${status} with the body ${body}`);
  });
}

function checkReply(reply: WireReply, i: number, part: Part | undefined): void {
  const isClosed = reply.headers.includes('Connection: close');
  if (part !== undefined && isReplyTo(part, reply) && isClosed === part.isLast) return;
  throw new Error(`Request ${i}, ${JSON.stringify(part?.bytes.slice(0, 300))}, was answered with ${JSON.stringify(reply)}.`);
}

function checkRest(rest: readonly WireReply[], next: Part | undefined, { isOpaque, bytes }: Script['behind']): void {
  if (next === undefined && isOpaque) {
    // Every request that is answered has at least one line, and one more reply may refuse the bytes after it.
    if (rest.length > bytes.split('\n').length + 1) throw new Error(`${rest.length} replies to ${JSON.stringify(bytes)}`);
    return;
  }
  for (const reply of rest) {
    const isEarly = EARLY_STATUSES.includes(reply.status) || (next?.isLast === true && next.status === reply.status);
    if (!isEarly || !reply.headers.includes('Connection: close')) throw new Error(`An incomplete request was answered with ${JSON.stringify(reply)}.`);
  }
}
