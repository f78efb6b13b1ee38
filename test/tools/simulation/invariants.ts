// What must hold of each client after a sequence.
import assert from 'node:assert/strict';
import { parseReplies } from '../../support/exchange.ts';
import type { Reply } from '../../support/replies.ts';
import { PART_MS, type Client, type SentPart } from './client.ts';
import { isAfter, type Moment } from './clock.ts';
import { emptyLines, headLength, type Expected } from './requests.ts';
import type { Written } from './service-end.ts';
import { LIMITS } from './steps.ts';
import type { World } from './world.ts';

/** A client, and what the service has written to it: each piece is a reply. */
type Served = { readonly client: Client; readonly replies: readonly Reply[]; readonly writes: readonly Written[] };
type Invariant = (served: Served, world: World) => void;

/** Each request gets its own reply, in order. */
const repliesAreRight: Invariant = ({ client, replies, writes }, { drainedAt }) => {
  for (const [i, reply] of replies.entries()) {
    const [sent, at] = [client.parts[i], writes[i]?.at];
    const possible = sent === undefined ? [] : possibleReplies(client, sent, at, isAfter(at, drainedAt));
    if (possible.some((expected) => isAsExpected(expected, reply))) continue;
    assert.fail(`${JSON.stringify(reply)} to ${describe(sent)}: not one of ${JSON.stringify(possible)}`);
  }
};

function possibleReplies(client: Client, sent: SentPart, at: Moment | undefined, isDraining: boolean): Expected[] {
  const { part: { bytes, reply }, from } = sent;
  const isHealthy = reply.body === 'Healthy';
  const drained = { ...reply, isLast: true, ...(isHealthy && { status: 503, body: 'Unhealthy' }) };
  const expected = isDraining ? drained : reply;
  const refused = (status: number): Expected => ({ status, body: '', isLast: true });
  const completeAt = sentAt(client, from + bytes.length - 1);
  if (isAfter(at, completeAt)) return completeAt?.ms === at?.ms ? [expected, refused(408)] : [expected]; // its end may come just too late
  return [
    ...(reply.isLast ? [expected] : []), // the head can be enough for a last request
    ...(isAfter(at, client.endedAt) ? [refused(400)] : []),
    ...(hasBegun(sent) ? [refused(408)] : []), // `lateOnesAreRefused` has more about it
  ];
}

function isAsExpected({ status, body, isLast }: Expected, reply: Reply): boolean {
  const hasBody = body === '' ? reply.body === '' : reply.body.startsWith(body);
  return reply.status === status && hasBody && isClosing(reply) === isLast;
}

/** Nothing comes after the last reply. */
const lastReplyIsLast: Invariant = ({ replies }) => {
  assert.ok(!replies.slice(0, -1).some(isClosing), 'a reply comes after the last one');
};

/** A request that the service has begun to read gets a reply, unless the client or the service had to close the connection before. */
const noReplyIsMissing: Invariant = (served, world) => {
  const { client, writes } = served;
  const next = unanswered(served);
  const hasStayed = client.leftAt === undefined && !wasCut(client, world) && writes.every(({ takenAt }) => takenAt !== undefined);
  if (next !== undefined && hasStayed) assert.fail(`no reply to ${describe(next)}`);
};

/** A request that is not complete is refused with 408 when it has taken too long, and not before. */
const lateOnesAreRefused: Invariant = ({ client, replies, writes }) => {
  writes.forEach(({ at }, i) => {
    const sent = client.parts[i];
    if (replies[i]?.status !== 408 || sent === undefined) return;
    const begunAt = sentAt(client, sent.from + emptyLines(sent.part))?.ms ?? 0;
    const hasHead = isAfter(at, sentAt(client, sent.from + headLength(sent.part) - 1)) && !sent.part.reply.isLast;
    const limitMs = hasHead ? LIMITS.requestMs : LIMITS.headMs;
    assert.ok(at.ms - begunAt > limitMs - (client.isSecure ? PART_MS : 0), `a 408 after ${at.ms - begunAt} ms`);
    const freeMs = at.ms - Math.max(begunAt, writes[i - 1]?.takenAt?.ms ?? 0);
    assert.ok(freeMs <= LIMITS.requestMs + LIMITS.sweepMs, `a 408 after ${freeMs} ms`);
  });
};

/** The service closes a connection when it must, and not before. */
const closedInTime: Invariant = ({ client, replies, writes }, world) => {
  const { openedAt, notice, sends, end: { closedAt, endedAt } } = client;
  if (closedAt === undefined || client.leftAt !== undefined || wasCut(client, world)) return;
  const last = writes.at(-1);
  const isLast = hasLast(replies);
  const isUnread = last?.takenAt === undefined || (isLast && notice !== undefined && endedAt === undefined);
  if (last !== undefined && isUnread) assertLimit(last.at, closedAt, LIMITS.unreadMs, 'an unread reply');
  else if (isLast) {
    assert.ok(endedAt !== undefined, 'the side of the service ends with the last reply');
    if (client.endedAt === undefined) assertLimit(endedAt, closedAt, LIMITS.lingerMs, 'the time to go on sending');
  } else if (client.endedAt === undefined) {
    const idleFrom = last?.takenAt ?? openedAt;
    const { stoppedAt } = world;
    // A part of a record has the time of a head, even if the record brings no request.
    if (client.isSecure && isAfter(sends.at(-1)?.at, idleFrom)) {
      const ms = closedAt.ms - idleFrom.ms;
      return assert.ok(ms <= LIMITS.idleMs + LIMITS.headMs + 2 * LIMITS.sweepMs, `parts of records, and no request, for ${ms} ms`);
    }
    if (stoppedAt === undefined || isAfter(stoppedAt, closedAt)) assertLimit(idleFrom, closedAt, LIMITS.idleMs, 'an idle connection');
    else {
      const wasIdle = !client.isSecure && isAfter(stoppedAt, idleFrom);
      const ms = closedAt.ms - Math.max(idleFrom.ms, stoppedAt.ms);
      assert.ok(ms <= (wasIdle ? LIMITS.closeIdleMs : LIMITS.sweepMs), `an idle connection is closed ${ms} ms after the stop`);
    }
  }
};

// Each limit is checked at intervals.
function assertLimit(from: Moment, to: Moment, limitMs: number, what: string): void {
  const ms = to.ms - from.ms;
  assert.ok(ms > limitMs && ms <= limitMs + LIMITS.sweepMs, `${what} has ${limitMs} ms, and was closed after ${ms} ms`);
}

/** When a client that reads has ended its side, the service ends its own at once. */
const endsWithClient: Invariant = ({ client: { endedAt, leftAt, hasRead, sends, end } }) => {
  if (endedAt === undefined || leftAt !== undefined || !hasRead) return;
  const ms = (end.endedAt ?? end.closedAt)?.ms ?? Infinity;
  const lateMs = ms - Math.max(endedAt.ms, sends.at(-1)?.at.ms ?? 0);
  assert.ok(lateMs <= 0, `the service has ended its side ${lateMs} ms later`);
};

/** A connection that is said to be idle when it is closed for a new one owes nothing. */
const idleOnesMakeRoom: Invariant = (served, { closedForRoom }) => {
  if (closedForRoom.get(served.client) !== 'idleClosed') return;
  assert.ok(unanswered(served) === undefined && served.writes.every(({ takenAt }) => takenAt !== undefined), 'it was not idle');
};

/** Over TLS the service ends its side with close_notify (RFC 8446 6.1), unless the client has not read what was written before. */
const tlsEndsWithNotice: Invariant = ({ client: { isSecure, leftAt, endedAt, notice, end: { closedAt } }, writes }, { cutAt }) => {
  if (!isSecure || closedAt === undefined || (leftAt ?? endedAt ?? cutAt) !== undefined || writes.length === 0) return;
  const isHeard = ({ takenAt }: Written) => takenAt !== undefined && takenAt.iteration < closedAt.iteration - 1;
  if (writes.every(isHeard)) assert.ok(notice !== undefined, 'no close_notify');
};

/**
 * One access record for each reply, in order; `aborted` where the reply has not been flushed. One more may follow, for a request whose
 * reply could not be sent.
 */
const recordsMatch: Invariant = ({ client, replies, writes }, { records }) => {
  const { name, leftAt, isSecure, parts, end: { closedAt } } = client;
  const own = records.filter(({ remoteAddress }) => remoteAddress === name);
  writes.forEach(({ takenAt }, i) => {
    const { status, aborted } = own[i] ?? {};
    assert.equal(status, replies[i]?.status, `the status in record ${i}`);
    // What the kernel takes after the client has gone is lost, so both are right. Over TLS the service hears of it an iteration later.
    const isHeardLate = isSecure && takenAt !== undefined && closedAt !== undefined && closedAt.iteration - takenAt.iteration <= 1;
    if (!isAfter(takenAt, leftAt) && !isHeardLate) assert.equal(aborted === true, takenAt === undefined, `\`aborted\` in record ${i}`);
  });
  const more = own.slice(replies.length);
  const most = !hasLast(replies) && parts.length > replies.length ? 1 : 0;
  assert.ok(more.length <= most && more.every(({ aborted }) => aborted), `records without a reply: ${JSON.stringify(more)}`);
};

const INVARIANTS = [
  repliesAreRight, lastReplyIsLast, noReplyIsMissing, lateOnesAreRefused, closedInTime, endsWithClient, idleOnesMakeRoom,
  tlsEndsWithNotice, recordsMatch,
];

/** Throws what does not hold of `client`. */
export function checkClient(client: Client, world: World): void {
  const { writes } = client;
  const replies = parseReplies(Buffer.concat(writes.map(({ bytes }) => bytes)));
  assert.equal(replies.length, writes.length, 'each piece is a reply');
  for (const holds of INVARIANTS) holds({ client, replies, writes }, world);
}

/** The first request without a reply that the service has begun to read. */
function unanswered({ client: { parts, bytesRead }, replies }: Served): SentPart | undefined {
  const next = parts[replies.length];
  if (next === undefined || !hasBegun(next) || hasLast(replies)) return undefined;
  return bytesRead > next.from + emptyLines(next.part) ? next : undefined;
}

// Whether more than empty lines has been sent.
const hasBegun = ({ part, sent }: SentPart) => sent > emptyLines(part);

// Whether `reply` asks the client to send no other request.
const isClosing = ({ headers }: Reply) => headers.includes('Connection: close');
const hasLast = (replies: readonly Reply[]) => replies.slice(-1).some(isClosing);

const describe = (sent: SentPart | undefined) => (sent === undefined ? 'no request' : JSON.stringify(sent.part.bytes.slice(0, 200)));

// When the byte at this place was sent.
function sentAt({ sends }: Client, place: number): Moment | undefined {
  return sends.find(({ to }) => to > place)?.at;
}

// By `closeAll`, or for a new connection.
function wasCut(client: Client, { cutAt, closedForRoom }: World): boolean {
  return closedForRoom.has(client) || isAfter(client.end.closedAt, cutAt);
}
