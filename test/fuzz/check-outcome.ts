// Checks that a client has received the replies that it must get.
import { parseReplies, type WireReply } from '../support/wire.ts';
import { drained, isReplyTo, type Part } from './part.ts';
import type { Outcome, Told } from './play.ts';
import type { Script } from './script.ts';
import { wholeLength } from './whole-length.ts';

export type Circumstances = {
  /** The service may have closed the connection at once: for its unread replies, or because it took too long. */
  readonly mayBeCut: boolean;
};

const MAX_REQUESTS_AFTER_LAST = 8; // when more requests follow the last one, the service may close the connection at once
const EARLY_STATUSES = [400, 408]; // for an incomplete request
const STATUSES = new Set([200, 307, 400, 404, 405, 408, 413, 417, 431, 501, 503, 505]);

export type CheckedReplies = {
  readonly replies: readonly WireReply[];
  /** These are all replies that the service has sent: neither side can have closed the connection before. */
  readonly isWhole: boolean;
};

/** Throws when the replies in `outcome` are not those that `script` must get. */
export function checkOutcome({ parts, behind }: Script, outcome: Outcome, { mayBeCut }: Circumstances): CheckedReplies {
  const { received, sent, told } = outcome;
  const whole = wholeLength(received);
  const replies = parseReplies(received.subarray(0, whole));
  checkForm(replies);

  const sentParts = partsWithin(parts, sent);
  const isOver = sentParts.at(-1)?.isLast === true;
  const answered = replies.slice(0, sentParts.length);
  answered.forEach((reply, i) => checkReply(reply, i, sentParts, told, mayBeCut));
  const rest = replies.slice(sentParts.length);
  if (isOver && rest.length > 0) throw new Error(`${replies.length} replies, and the last request was the ${sentParts.length}th.`);
  const next = parts[sentParts.length];
  checkRest(rest, next, behind);

  const { hasLeft, ended, error } = outcome;
  const ignored = behind.requests + (told === undefined ? 0 : parts.length - told.replies);
  const isDestroyedByNode = behind.bytes.includes('PRI '); // node destroys the socket after a request line with this method and no version
  const mayBreakOff = hasLeft || mayBeCut || isDestroyedByNode || ((isOver || told !== undefined) && ignored > MAX_REQUESTS_AFTER_LAST) || mayBeLate(outcome);
  if (mayBreakOff) return { replies, isWhole: false };
  if (error !== undefined) throw new Error(`After ${replies.length} replies: ${error.message}`);
  if (!ended) throw new Error(`The service did not end the connection after ${replies.length} replies.`);
  if (whole < received.length) throw new Error(`A reply is incomplete: ${received.toString('latin1', whole)}`);
  const isClosed = replies.at(-1)?.headers.includes('Connection: close') === true;
  const expected = told !== undefined && (isClosed || told.what === 'stop') ? partsSeen(sentParts, told) : sentParts.length;
  if (replies.length < expected) throw new Error(`${replies.length} replies instead of ${expected}.`);
  const isIncomplete = next !== undefined && told === undefined && sent > lengthOf(sentParts);
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

function partsSeen(parts: readonly Part[], told: Told): number {
  return told.isAllRead === true ? partsWithin(parts, told.sent).length : told.replies;
}

// After the stop begins, a connection may be closed when the service has read nothing on it, and when a request
// arrives later.
function mayBeLate({ told, sent }: Outcome): boolean {
  return told?.what === 'stop' && (told.isAllRead !== true || sent > told.sent || sent === 0);
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

function checkReply(reply: WireReply, i: number, parts: readonly Part[], told: Told | undefined, mayBeCut: boolean): void {
  const part = parts[i];
  if (part === undefined) return;
  const isClosed = reply.headers.includes('Connection: close');
  const isAsUsual = isReplyTo(part, reply);
  // A service that begins to drain is unhealthy from then on, and closes each connection after its latest request.
  const mayDrain = told !== undefined && i >= told.replies;
  const isAsDrained = mayDrain && isReplyTo(drained(part), reply);
  if ((isAsUsual || isAsDrained) && (isClosed === part.isLast || (mayDrain && isClosed))) return;
  if (mayBeCut && reply.status === 408 && isClosed) return;
  throw new Error(`Request ${i}, ${JSON.stringify(part.bytes.slice(0, 300))}, was answered with ${JSON.stringify(reply)}.`);
}

function checkRest(rest: readonly WireReply[], next: Part | undefined, { isOpaque, bytes }: Script['behind']): void {
  if (next === undefined && isOpaque) {
    // Every request that is answered has at least one line, and one more reply may refuse the bytes after it.
    if (rest.length > bytes.split('\n').length + 1) throw new Error(`${rest.length} replies to ${JSON.stringify(bytes)}`);
    return;
  }
  for (const reply of rest) {
    const isEarly = EARLY_STATUSES.includes(reply.status) || (next?.isLast === true && next.statuses.includes(reply.status));
    if (!isEarly || !reply.headers.includes('Connection: close')) throw new Error(`An incomplete request was answered with ${JSON.stringify(reply)}.`);
  }
}
