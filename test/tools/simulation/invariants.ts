// What must hold after each sequence, and only the simulation can see.
import assert from 'node:assert/strict';
import { unanswered } from '../../support/sequences/invariants.ts';
import { emptyLines, headLength } from '../../support/sequences/part.ts';
import { LIMITS } from '../../support/sequences/steps.ts';
import { sentAt, wasCut, type Served } from './served.ts';
import { PART_MS } from './client.ts';
import type { Moment } from './clock.ts';
import type { Written } from './service-end.ts';
import type { World } from './world.ts';

const PIECE_COST = 512; // of a piece, with no byte

type OfServed = (served: Served, world: World) => void;
type OfWorld = (world: World) => void;

/** A request that is not complete is refused with 408 when it has taken too long, and not before. */
const lateOnesAreRefused: OfServed = ({ client, answers }) => {
  answers.forEach(({ reply, sent, write }, i) => {
    if (reply.status !== 408 || sent === undefined) return;
    const begunAt = sentAt(client, sent.from + emptyLines(sent.part))?.ms ?? 0;
    const headAt = sentAt(client, sent.from + headLength(sent.part) - 1);
    const hasHead = headAt !== undefined && headAt.order < write.at.order && !sent.part.reply.isLast;
    const limitMs = hasHead ? LIMITS.requestMs : LIMITS.headMs;
    assert.ok(write.at.ms - begunAt > limitMs - (client.isSecure ? PART_MS : 0), `a 408 after ${write.at.ms - begunAt} ms`);
    const freeMs = write.at.ms - Math.max(begunAt, answers[i - 1]?.write.takenAt?.ms ?? 0);
    assert.ok(freeMs <= LIMITS.requestMs + LIMITS.sweepMs, `a 408 after ${freeMs} ms`);
  });
};

/** The service closes a connection when it must, and not before. */
const closedInTime: OfServed = ({ client, answers }, world) => {
  const { openedAt, notice, end: { closedAt, endedAt } } = client;
  if (closedAt === undefined || client.leftAt !== undefined || wasCut(client, world)) return;
  const last = answers.at(-1);
  const isUnread = last?.write.takenAt === undefined || (last.isLast && notice !== undefined && endedAt === undefined);
  if (last !== undefined && isUnread) assertLimit(last.write.at, closedAt, LIMITS.unreadMs, 'an unread reply');
  else if (last?.isLast === true) {
    assert.ok(endedAt !== undefined, 'the side of the service ends with the last reply');
    if (client.endedAt === undefined) assertLimit(endedAt, closedAt, LIMITS.lingerMs, 'the time to go on sending');
  } else if (client.endedAt === undefined) {
    const idleFrom = last?.write.takenAt ?? openedAt;
    // The time of an idle connection begins again after a part of a record, even if the record brings no request.
    if (client.isSecure && (client.sends.at(-1)?.at.order ?? 0) > idleFrom.order) return;
    const { stoppedAt } = world;
    if (stoppedAt === undefined || stoppedAt.order > closedAt.order) assertLimit(idleFrom, closedAt, LIMITS.idleMs, 'an idle connection');
    else assert.ok(closedAt.ms - Math.max(idleFrom.ms, stoppedAt.ms) <= LIMITS.sweepMs, 'idle connections are closed at the stop');
  }
};

// Each limit is checked at intervals.
function assertLimit(from: Moment, to: Moment, limitMs: number, what: string): void {
  const ms = to.ms - from.ms;
  assert.ok(ms > limitMs && ms <= limitMs + LIMITS.sweepMs, `${what} has ${limitMs} ms, and was closed after ${ms} ms`);
}

/** When a client that reads has ended its side, the service ends its own at once. */
const endsWithClient: OfServed = ({ client: { endedAt, leftAt, hasRead, sends, end } }) => {
  if (endedAt === undefined || leftAt !== undefined || !hasRead) return;
  const ms = (end.endedAt ?? end.closedAt)?.ms ?? Infinity;
  const lateMs = ms - Math.max(endedAt.ms, sends.at(-1)?.at.ms ?? 0);
  assert.ok(lateMs <= 0, `the service has ended its side ${lateMs} ms later`);
};

/** A connection that is said to be idle when it is closed for a new one owes nothing. */
const idleOnesMakeRoom: OfServed = (served, { closedForRoom }) => {
  const { client, answers } = served;
  if (!closedForRoom.some((closed) => closed.client === client && closed.reason === 'idleClosed')) return;
  const last = answers.at(-1);
  assert.ok(unanswered(served) === undefined && (last === undefined || last.write.takenAt !== undefined), 'it was not idle');
};

/** Over TLS the service ends its side with close_notify (RFC 8446 6.1), unless the client has not read what was written before. */
const tlsEndsWithNotice: OfServed = ({ client: { isSecure, writes, leftAt, endedAt, notice, end: { closedAt } } }, { cut }) => {
  if (!isSecure || closedAt === undefined || leftAt !== undefined || endedAt !== undefined || writes.length === 0) return;
  const isHeard = ({ takenAt }: Written) => takenAt !== undefined && takenAt.iteration < closedAt.iteration - 1;
  if (cut === undefined && writes.every(isHeard)) assert.ok(notice !== undefined, 'no close_notify');
};

/**
 * One access record for each reply, in order; `aborted` where the reply has not been flushed. One more may follow, for a request whose
 * reply could not be sent.
 */
const recordsMatch: OfServed = ({ client, answers, parts }, { records }) => {
  const own = records.filter(({ remoteAddress }) => remoteAddress === client.name);
  answers.forEach(({ reply, hasLeft }, i) => {
    const { status, aborted } = own[i] ?? { status: undefined, aborted: undefined };
    const mustBe = hasLeft === undefined ? aborted : hasLeft ? undefined : true;
    assert.equal(`${status} ${aborted}`, `${reply.status} ${mustBe}`, `record ${i}`);
  });
  const more = own.slice(answers.length);
  const most = answers.at(-1)?.isLast !== true && parts.length > answers.length ? 1 : 0;
  assert.ok(more.length <= most && more.every(({ aborted }) => aborted), `records without a reply: ${JSON.stringify(more)}`);
};

const nothingIsThrown: OfWorld = ({ errors }) => assert.equal(errors.map(String).join(), '');
const allHaveEnded: OfWorld = ({ allClosed }) => assert.ok(allClosed, 'connections are open');
const serviceHasStopped: OfWorld = ({ isStopped }) => assert.ok(isStopped, 'close() has resolved');
const boundIsKept: OfWorld = ({ mostOpen, maxConnections }) => assert.ok(mostOpen <= maxConnections, `${mostOpen} are open at once`);
const nothingIsLeft: OfWorld = ({ leftOver }) => assert.equal(leftOver, 0, 'timers and listeners that are left');
/** In an iteration of the event loop, all clients together get as many replies as the budgets of it and of the previous one allow. */
const fewRepliesAtATime: OfWorld = ({ clients, turnCost }) => {
  const replies = new Map<number, number>();
  for (const { at } of clients.flatMap(({ writes }) => writes)) replies.set(at.iteration, (replies.get(at.iteration) ?? 0) + 1);
  for (const count of replies.values()) assert.ok(count <= 2 * Math.ceil(turnCost / PIECE_COST), `${count} replies at once`);
};
/** No connection is closed for room while another address has more. */
const roomIsFair: OfWorld = ({ closedForRoom }) => {
  for (const { client, had, most } of closedForRoom) assert.equal(had, most, `${client.name} was closed for a new connection`);
};
const noneComesAfterTheCut: OfWorld = ({ clients, cut }) => {
  if (cut !== undefined) assert.ok(clients.every(({ openedAt }) => openedAt.order < cut.at.order), 'one is accepted after the cut');
};
const cutsAreCounted: OfWorld = ({ cut }) => {
  if (cut !== undefined) assert.ok(cut.said <= cut.most, JSON.stringify(cut));
};

export const OF_SERVED: readonly OfServed[] = [
  lateOnesAreRefused, closedInTime, endsWithClient, idleOnesMakeRoom, tlsEndsWithNotice, recordsMatch,
];
export const OF_WORLD: readonly OfWorld[] = [
  nothingIsThrown, allHaveEnded, serviceHasStopped, boundIsKept, nothingIsLeft, fewRepliesAtATime, roomIsFair, noneComesAfterTheCut,
  cutsAreCounted,
];
