// What must hold of each client after a sequence, and only the simulation can see.
import assert from 'node:assert/strict';
import { parseReplies } from '../../support/exchange.ts';
import { hasLast, OF_CLIENT, unanswered, type Outcome } from '../../support/sequences/invariants.ts';
import { emptyLines, hasBegun, headLength, isWhole, type SentPart } from '../../support/sequences/part.ts';
import { LIMITS } from '../../support/sequences/steps.ts';
import { PART_MS, type Client } from './client.ts';
import { isAfter, type Moment } from './clock.ts';
import type { Written } from './service-end.ts';
import type { World } from './world.ts';

/** A client, and what the service has written to it: each piece is a reply. */
type Served = Outcome & { readonly client: Client; readonly writes: readonly Written[] };
type Invariant = (served: Served, world: World) => void;

/** A request that is not complete is refused with 408 when it has taken too long, and not before. */
const lateOnesAreRefused: Invariant = ({ client, parts, replies, writes }) => {
  writes.forEach(({ at }, i) => {
    const sent = parts[i];
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
    // The time of an idle connection begins again after a part of a record, even if the record brings no request.
    if (client.isSecure && isAfter(sends.at(-1)?.at, idleFrom)) return;
    const { stoppedAt } = world;
    if (stoppedAt === undefined || isAfter(stoppedAt, closedAt)) assertLimit(idleFrom, closedAt, LIMITS.idleMs, 'an idle connection');
    else assert.ok(closedAt.ms - Math.max(idleFrom.ms, stoppedAt.ms) <= LIMITS.sweepMs, 'idle connections are closed at the stop');
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
  const { client, writes } = served;
  if (closedForRoom.get(client) !== 'idleClosed') return;
  assert.ok(unanswered(served) === undefined && writes.every(({ takenAt }) => takenAt !== undefined), 'it was not idle');
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
const recordsMatch: Invariant = ({ client, replies, writes, parts }, { records }) => {
  const { name, leftAt, isSecure, end: { closedAt } } = client;
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

const OWN = [lateOnesAreRefused, closedInTime, endsWithClient, idleOnesMakeRoom, tlsEndsWithNotice, recordsMatch];

/** Throws what does not hold of `client`. */
export function checkClient(client: Client, world: World): void {
  const served = servedIn(world, client);
  for (const holds of OF_CLIENT) holds(served);
  for (const holds of OWN) holds(served, world);
}

function servedIn(world: World, client: Client): Served {
  const { sending: { parts }, writes, leftAt, endedAt, end } = client;
  const replies = parseReplies(client.replies);
  if (replies.length !== writes.length) throw new Error(`${replies.length} replies in ${writes.length} pieces`);
  return {
    client, parts, replies, writes,
    known: (sent, i) => ({
      isWhole: isAfter(writes[i]?.at, wholeAt(client, sent)),
      isDraining: isAfter(writes[i]?.at, world.drainedAt),
      hasEnded: isAfter(writes[i]?.at, endedAt),
      isLate: hasBegun(sent), // lateOnesAreRefused has more about it
    }),
    bytesRead: client.bytesRead,
    hasStayed: leftAt === undefined && !wasCut(client, world) && (writes.length === 0 || writes.at(-1)?.takenAt !== undefined),
    hasEnded: endedAt !== undefined && !isAfter(endedAt, end.closedAt),
    isEnded: end.endedAt !== undefined || end.closedAt !== undefined,
  };
}

// When the byte at this place was sent.
function sentAt({ sends }: Client, place: number): Moment | undefined {
  return sends.find(({ to }) => to > place)?.at;
}

// When the last byte of a request was sent.
function wholeAt(client: Client, sent: SentPart): Moment | undefined {
  return isWhole(sent) ? sentAt(client, sent.from + sent.sent - 1) : undefined;
}

// By `closeAll`, or for a new connection.
function wasCut(client: Client, { cutAt, closedForRoom }: World): boolean {
  return closedForRoom.has(client) || isAfter(client.end.closedAt, cutAt);
}
