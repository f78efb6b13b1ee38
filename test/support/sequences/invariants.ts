// What must hold after each sequence, whoever has played it.
import assert from 'node:assert/strict';
import type { Reply } from '../replies.ts';
import { emptyLines, hasBegun, type Expected, type SentPart } from './part.ts';

/** What a client has sent, and what it has got. */
export type Outcome = {
  readonly parts: readonly SentPart[];
  readonly replies: readonly Reply[];
  readonly known: (sent: SentPart, i: number) => Known;
  readonly bytesRead: number; // how many bytes of the client the service has read, at least
  readonly hasStayed: boolean; // it has read every reply, and neither it nor the service has had to close the connection before
  readonly hasEnded: boolean;
  readonly isEnded: boolean; // the service has ended its side, in an orderly way
};

/** What a player knows of the moment when a reply was written. Undefined: it does not know. */
export type Known = {
  readonly isWhole: boolean | undefined; // the request had been sent to its end
  readonly isDraining: boolean | undefined;
  readonly hasEnded: boolean; // the client had ended its side
  readonly isLate: boolean; // enough time had passed for a 408
};

type OfClient = (outcome: Outcome) => void;

/** Each request gets its own reply, in order. */
const repliesAreRight: OfClient = ({ replies, parts, known }) => {
  for (const [i, reply] of replies.entries()) {
    const sent = parts[i];
    const possible = sent === undefined ? [] : possibleReplies(sent.part.reply, known(sent, i));
    if (possible.some((expected) => isAsExpected(expected, reply))) continue;
    assert.fail(`${JSON.stringify(reply)} to ${describe(sent)}: not one of ${JSON.stringify(possible)}`);
  }
};

/** Nothing comes after the last reply. */
const lastReplyIsLast: OfClient = ({ replies }) => {
  const last = replies.findIndex(isClosing);
  assert.ok(last === -1 || last === replies.length - 1, `${replies.length - 1 - last} replies after the last one`);
};

/** A request that the service has begun to read gets a reply. */
const noReplyIsMissing: OfClient = (outcome) => {
  const next = unanswered(outcome);
  if (next !== undefined && outcome.hasStayed) assert.fail(`no reply to ${describe(next)}`);
};

/** After the last reply, or the end of the client, the service ends its own side. */
const connectionEnds: OfClient = ({ replies, hasStayed, hasEnded, isEnded }) => {
  const mustEnd = hasEnded || hasLast(replies);
  assert.ok(isEnded || !hasStayed || !mustEnd, `the service did not end the connection after ${replies.length} replies`);
};

export const OF_CLIENT: readonly OfClient[] = [repliesAreRight, lastReplyIsLast, noReplyIsMissing, connectionEnds];

/** The first request without a reply that the service has begun to read. */
export function unanswered({ replies, parts, bytesRead }: Outcome): SentPart | undefined {
  const next = parts[replies.length];
  if (next === undefined || !hasBegun(next) || hasLast(replies)) return undefined;
  return bytesRead > next.from + emptyLines(next.part) ? next : undefined;
}

/** Whether `reply` asks the client to send no other request. */
export const isClosing = ({ headers }: Reply): boolean => headers.includes('Connection: close');

/** Whether no reply may follow these. */
export const hasLast = (replies: readonly Reply[]): boolean => replies.slice(-1).some(isClosing);

function possibleReplies(expected: Expected, { isWhole, isDraining, hasEnded, isLate }: Known): Expected[] {
  const possible: Expected[] = [];
  // The head can be enough for a last request.
  if (isWhole !== false || expected.isLast) {
    if (isDraining !== true) possible.push(expected);
    if (isDraining !== false) possible.push(drained(expected));
  }
  if (isWhole !== true) {
    if (hasEnded) possible.push({ status: 400, body: '', isLast: true });
    if (isLate) possible.push({ status: 408, body: '', isLast: true });
  }
  return possible;
}

// The same reply of a service that drains: it is the last one.
function drained(expected: Expected): Expected {
  const isHealthy = expected.body === 'Healthy';
  return { ...expected, isLast: true, ...(isHealthy && { status: 503, body: 'Unhealthy' }) };
}

function isAsExpected({ status, body, isLast }: Expected, reply: Reply): boolean {
  const hasBody = body === '' ? reply.body === '' : reply.body.startsWith(body);
  return reply.status === status && hasBody && isClosing(reply) === isLast;
}

const describe = (sent: SentPart | undefined) => (sent === undefined ? 'no request' : JSON.stringify(sent.part.bytes.slice(0, 200)));
