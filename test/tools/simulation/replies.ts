// What a client must get: the replies that were written, next to the requests that were sent.
import { drained, isReplyTo } from '../../support/sequences/part.ts';
import { parseReplies, type WireReply } from '../../support/wire.ts';
import type { Client, SentPart, Written } from './client.ts';
import type { Moment } from './clock.ts';
import { LIMITS } from './steps.ts';

/** A reply that the service has written, and the request that it belongs to. */
export type Answer = {
  readonly reply: WireReply;
  readonly write: Written;
  readonly sent: SentPart | undefined;
  /** It must be the last reply. */
  readonly isLast: boolean;
  /** What is wrong with it. */
  readonly fault: string | undefined;
};

const isAfter = (one: Moment | undefined, other: Moment | undefined) => one !== undefined && other !== undefined && one.order > other.order;

/** The replies of a client, each judged by what the client had sent, and whether the service drained by then. Throws when one is not whole. */
export function answersTo(client: Client, drainedAt: Moment | undefined): Answer[] {
  const replies = parseReplies(Buffer.concat(client.bytesWritten));
  return replies.map((reply, i) => {
    const write = client.writes[i];
    if (write === undefined || replies.length !== client.writes.length) throw new Error(`${replies.length} replies in ${client.writes.length} pieces`);
    return judge(reply, write, client, i, drainedAt);
  });
}

function judge(reply: WireReply, write: Written, client: Client, i: number, drainedAt: Moment | undefined): Answer {
  const sent = client.parts[i];
  const answer = (isLast: boolean, fault: string | undefined) => ({ reply, write, sent, isLast, fault });
  if (sent?.begunAt === undefined) return answer(true, 'a reply to no request');
  const expected = isAfter(write.at, drainedAt) ? drained(sent.part) : sent.part;
  if (!isAfter(write.at, sent.wholeAt)) {
    // The head can be enough for a last request.
    const isEnough = sent.part.isLast && isReplyTo(expected, reply);
    return answer(true, isEnough ? undefined : faultOfEarly(reply, write, client, sent, client.writes[i - 1]?.takenAt));
  }
  return answer(expected.isLast, isReplyTo(expected, reply) ? undefined : `${expected.status} ${expected.body} was expected`);
}

/** What is wrong with a reply to a request that is not whole. */
function faultOfEarly(reply: WireReply, write: Written, client: Client, { part, begunAt, headAt }: SentPart, freeAt: Moment | undefined): string | undefined {
  if (reply.status === 400 && isAfter(write.at, client.endedAt)) return undefined;
  if (reply.status !== 408) return 'a reply to an incomplete request';
  const sinceBegun = write.at.ms - (begunAt?.ms ?? 0);
  const sinceFree = Math.min(sinceBegun, write.at.ms - (freeAt?.ms ?? 0));
  const limitMs = isAfter(write.at, headAt) && !part.isLast ? LIMITS.requestMs : LIMITS.headMs;
  if (sinceBegun <= limitMs) return 'a 408 too early';
  return sinceFree <= LIMITS.requestMs + LIMITS.sweepMs ? undefined : 'a 408 too late';
}

/** The first request without a reply, if the service had read the first byte of it before the connection was closed. */
export function unanswered(client: Client, answers: readonly Answer[]): SentPart | undefined {
  const next = client.parts[answers.length];
  if (next?.begunAt === undefined || answers.at(-1)?.isLast === true || isAfter(next.begunAt, client.serviceClosedAt)) return undefined;
  return client.end.bytesRead > next.from + next.part.bytes.search(/[^\r\n]/) ? next : undefined;
}
