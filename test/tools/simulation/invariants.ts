// What must hold after each sequence.
import assert from 'node:assert/strict';
import type { Client, Written } from './client.ts';
import type { Moment } from './clock.ts';
import { unanswered, type Answer } from './replies.ts';
import { LIMITS, LONGEST_MS } from './steps.ts';
import type { World } from './world.ts';

/** A client, and the replies that were written to it. */
export type Served = { readonly client: Client; readonly answers: readonly Answer[] };

type OfClient = (served: Served, world: World) => void;
type OfWorld = (world: World) => void;

/** Each request gets its own reply, in order. */
const repliesAreRight: OfClient = ({ answers }) => {
  for (const { fault, reply, sent } of answers) {
    if (fault !== undefined) assert.fail(`${fault}: ${JSON.stringify(reply)} to ${JSON.stringify(sent?.part.bytes.slice(0, 200))}`);
  }
};

/** A request that the service has begun to read gets a reply, unless its client has left, or has not read the reply before it. */
const noReplyIsMissing: OfClient = ({ client, answers }, world) => {
  const next = unanswered(client, answers);
  if (next === undefined || client.leftAt !== undefined || wasCut(client, world) || answers.at(-1)?.write.takenAt === undefined && answers.length > 0) return;
  assert.fail(`no reply to ${JSON.stringify(next.part.bytes.slice(0, 200))}`);
};

/** `Connection: close` is on the last reply, and on no other; nothing comes behind it. */
const lastReplyIsLast: OfClient = ({ answers }) => {
  answers.forEach(({ isLast, reply }, i) => {
    const connection = reply.headers.filter((header) => header.startsWith('Connection:')).join();
    assert.equal(connection, isLast ? 'Connection: close' : 'Connection: keep-alive', `reply ${i}`);
    assert.ok(!isLast || i === answers.length - 1, `${answers.length - 1 - i} replies behind the last one`);
  });
};

/** What the service has given to the kernel arrives whole, when the client reads and stays. */
const repliesArrive: OfClient = ({ client }, world) => {
  if (client.leftAt !== undefined || !client.hasRead || wasCut(client, world)) return;
  assert.ok(client.end.toClient.received.equals(Buffer.concat(client.bytesWritten)), 'the client has received all bytes');
};

/**
 * One access record for each reply, in order; `aborted` where the reply has not left whole. What the kernel takes after the
 * client has left is lost, so both are right. One more record, for a request whose reply could not be sent, may follow.
 */
const recordsMatch: OfClient = ({ client, answers }, { records }) => {
  const isLost = ({ takenAt }: Written) => client.leftAt !== undefined && takenAt !== undefined && takenAt.order > client.leftAt.order;
  const own = records.filter(({ remoteAddress }) => remoteAddress === client.name);
  answers.forEach(({ reply, write }, i) => {
    const { status, aborted } = own[i] ?? {};
    assert.equal(`${status} ${aborted}`, `${reply.status} ${isLost(write) ? aborted : write.takenAt === undefined ? true : undefined}`, `record ${i}`);
  });
  const more = own.slice(answers.length);
  const mayHaveMore = answers.at(-1)?.isLast !== true && client.parts.length > answers.length;
  if (more.length > (mayHaveMore ? 1 : 0) || more.some(({ aborted }) => !aborted)) assert.fail(`records without a reply: ${JSON.stringify(more)}`);
};

/** In a callback of the event loop, a connection gets one request. */
const oneReplyAtATime: OfClient = ({ answers }) => {
  answers.forEach(({ write }, i) => assert.notEqual(write.at.callback, answers[i - 1]?.write.at.callback, `replies ${i - 1} and ${i} at once`));
};

/** A reply comes as soon as the request is whole and the reply before it has left: each connection has a turn after every other one. */
const repliesAreSoon: OfClient = ({ answers }, { clients }) => {
  answers.forEach(({ write, sent }, i) => {
    const from = Math.max(sent?.wholeAt?.turn ?? write.at.turn, answers[i - 1]?.write.takenAt?.turn ?? 0);
    assert.ok(write.at.turn - from <= (1 + (sent?.steps ?? 0)) * clients.length, `reply ${i} was ${write.at.turn - from} turns late`);
  });
};

/** The service closes a connection when it must, and not before. */
const closedInTime: OfClient = ({ client, answers }, world) => {
  const { serviceClosedAt: closedAt, serviceEndedAt: endedAt, openedAt } = client;
  if (closedAt === undefined || client.leftAt !== undefined || wasCut(client, world)) return;
  const last = answers.at(-1);
  if (last !== undefined && last.write.takenAt === undefined) assertLimit(last.write.at, closedAt, LIMITS.unreadMs, 'an unread reply');
  else if (last?.isLast === true) {
    assert.ok(endedAt !== undefined, 'the side of the service ends with the last reply');
    if (client.endedAt === undefined) assertLimit(endedAt, closedAt, LIMITS.lingerMs, 'the time to go on sending');
  } else if (client.endedAt === undefined) {
    const idleFrom = last?.write.takenAt ?? openedAt;
    if (!mayBeClosedAtOnce(client, world)) assertLimit(idleFrom, closedAt, LIMITS.idleMs, 'an idle connection');
    else if (world.stoppedAt !== undefined) assert.ok(closedAt.ms - Math.max(idleFrom.ms, world.stoppedAt.ms) <= LIMITS.sweepMs, 'idle connections are closed at the stop');
  }
};

// Each limit is checked at intervals.
function assertLimit(from: Moment, to: Moment, limitMs: number, what: string): void {
  const ms = to.ms - from.ms;
  assert.ok(ms > limitMs && ms <= limitMs + LIMITS.sweepMs, `${what} has ${limitMs} ms, and was closed after ${ms} ms`);
}

/** When a client that reads has ended its side, the service ends its own at once. */
const endsWithClient: OfClient = ({ client: { endedAt, leftAt, hasRead, serviceEndedAt, serviceClosedAt } }) => {
  if (endedAt === undefined || leftAt !== undefined || !hasRead) return;
  const ms = (serviceEndedAt ?? serviceClosedAt)?.ms ?? Infinity;
  assert.ok(ms <= endedAt.ms, `the service has ended its side ${ms - endedAt.ms} ms later`);
};

/** A connection that is said to be idle when it is closed for a new one owes nothing. */
const idleOnesMakeRoom: OfClient = ({ client, answers }, { closedForRoom }) => {
  if (!closedForRoom.some((closed) => closed.client === client && closed.reason === 'idle')) return;
  const last = answers.at(-1);
  assert.ok(unanswered(client, answers) === undefined && (last === undefined || last.write.takenAt !== undefined), 'it was not idle');
};

const noMoreListeners: OfClient = ({ client: { end } }) => {
  for (const name of ['data', 'end', 'drain', 'finish']) assert.ok(end.listenerCount(name) <= 2, `${end.listenerCount(name)} listeners for ${name}`);
};

const allHaveEnded: OfWorld = ({ allClosed, quietMs }) => assert.ok(allClosed, `connections are open after ${quietMs} of ${LONGEST_MS} ms`);
const boundIsKept: OfWorld = ({ mostOpen, maxConnections }) => assert.ok(mostOpen <= maxConnections, `${mostOpen} connections are open at once`);
const serviceHasStopped: OfWorld = ({ isStopped }) => assert.ok(isStopped, 'close() has resolved');
const nothingIsLeft: OfWorld = ({ leftOver, moreListeners }) => assert.equal(leftOver + moreListeners, 0, 'timers and listeners that are left');
const nothingIsThrown: OfWorld = ({ errors }) => assert.equal(errors.map(String).join(), '');
/** No connection is closed for room while another address has more. */
const roomIsFair: OfWorld = ({ closedForRoom }) => {
  for (const { client, had, most } of closedForRoom) assert.equal(had, most, `${client.name} was closed for a new connection`);
};
const cutsAreCounted: OfWorld = ({ cut }) => assert.ok(cut === undefined || (cut.least <= cut.said && cut.said <= cut.most), JSON.stringify(cut));

export const OF_CLIENT = { repliesAreRight, noReplyIsMissing, lastReplyIsLast, repliesArrive, recordsMatch, oneReplyAtATime, repliesAreSoon, closedInTime, endsWithClient, idleOnesMakeRoom, noMoreListeners };
export const OF_WORLD = { nothingIsThrown, allHaveEnded, boundIsKept, serviceHasStopped, nothingIsLeft, roomIsFair, cutsAreCounted };

/** By `closeAll`, or for a new connection. */
function wasCut(client: Client, { cut, closedForRoom }: World): boolean {
  const { serviceClosedAt } = client;
  return closedForRoom.some((closed) => closed.client === client) || (cut !== undefined && serviceClosedAt !== undefined && serviceClosedAt.order > cut.at.order);
}

/** At the stop. */
function mayBeClosedAtOnce({ serviceClosedAt }: Client, { stoppedAt }: World): boolean {
  return stoppedAt !== undefined && stoppedAt.order < (serviceClosedAt?.order ?? 0);
}
