// What must be true of a connection, whatever was planned, and in whatever order it happened.
import { ABORTS } from '../../../src/http/request.ts';
import type { Reply } from '../../support/replies.ts';
import { contentOf, replyTo } from './bytes.ts';
import { hasAll, isLastReply, type Received } from './client.ts';
import type { ConnectionPlan } from './generate.ts';
import { LIMIT_MS, type Seen } from './handlers.ts';

// Why the service may end a connection that has done nothing wrong: it wants room, or the machine is slow.
const EXCUSES = ['newRefused', 'idleClosed', 'busyClosed', 'handshakeTooSlow', 'proxyHeaderTooSlow'];

/** What is known of a round: whether the service has stopped early, or cut what was left; why connections ended. */
export type Known = Readonly<{
  seen: ReadonlyMap<number, Seen>; isStopping: boolean; isCut: boolean; ends: readonly string[];
}>;

/** What is wrong, in words. */
export function faultsIn(pairs: readonly Readonly<{ connection: ConnectionPlan; received: Received }>[], known: Known) {
  const excused = known.ends.filter((reason) => EXCUSES.includes(reason)).length;
  const [faults, ends]: [string[], string[]] = [[], []];
  for (const { connection, received } of pairs) {
    const { number, over, from, address, end, requests } = connection;
    const name = (fault: string) => `connection ${number} (${over} from ${from} as ${address}, ${end}): ${fault}`;
    const handlers = requests.map(({ id }) => known.seen.get(id)).filter((one) => one !== undefined);
    const ofHandlers = handlers.flatMap((one) => faultsInHandler(one, connection, received, known, excused > 0));
    faults.push(...[...faultsInReplies(connection, received, known), ...ofHandlers].map(name));
    ends.push(...faultsInEnd(connection, received, known).map(name));
  }
  return ends.length > excused ? [...faults, ...ends] : faults;
}

// A connection that has ended before all was answered, without a reason that is to be seen there.
function faultsInEnd(connection: ConnectionPlan, received: Received, known: Known): readonly string[] {
  const { replies, rest, sent, hasLeft, error } = received;
  const { takesOver, requests, end } = connection;
  const isPart = takesOver === undefined && rest.length > 0; // of a reply
  const isOver = hasAll(connection, received) || (isLastReply(replies.at(-1)) && !isPart);
  if (isOver || known.isCut || (hasLeft && end !== 'halfClose')) return [];
  const next = requests[replies.length] ?? requests.at(-1);
  const isUnsent = hasLeft && sent <= replies.length;
  const hasBegun = takesOver === undefined ? known.seen.get(next?.id ?? -1)?.calls !== 0 : replies.length > 0;
  const mayBeLost = known.isStopping || (hasLeft && next?.hasSeat === true); // if it waits for a seat
  if (!isPart && (isUnsent || (!hasBegun && mayBeLost))) return [];
  return [`${replies.length} of ${requests.length} replies, ${rest.length} bytes more, ${String(error)}`];
}

function faultsInReplies(connection: ConnectionPlan, received: Received, known: Known): readonly string[] {
  const { takesOver, requests, end, address } = connection;
  const { replies, rest, sent, hasLeft } = received;
  const [first] = requests;
  if (takesOver !== undefined && first !== undefined && replies.length > 0) {
    return contentOf(first).subarray(0, rest.length).equals(rest) ? [] : ['other bytes than were sent'];
  }
  return replies.flatMap((reply, i) => {
    const isLast = isLastReply(reply);
    if (isLast && i < replies.length - 1) return [`a reply after the last, number ${i}`];
    const one = known.seen.get(requests[i]?.id ?? -1);
    if (one !== undefined && i < sent) return faultsInReply(one, reply, address, known.isStopping);
    return hasLeft && end === 'halfClose' && reply.status === 400 && isLast ? [] : [`a reply too many, number ${i}`];
  });
}

function faultsInReply(one: Seen, reply: Reply, address: string | undefined, isStopping: boolean): readonly string[] {
  const { plan, records: [record] } = one;
  const { status, body } = reply;
  const isLast = isLastReply(reply);
  return failing(plan.id, {
    'the status in its record': record?.status === status,
    [`a status that may be: ${status}`]: mayBe(status, one),
    'its own content': body.startsWith(status === 200 ? replyTo(plan, contentOf(plan), address) : '')
      && (status !== 500 || body.includes(`/${plan.id}"`)),
    'its fate for the connection': isLast === (plan.isLast || status === 503) || (isLast && isStopping),
  });
}

function mayBe(status: number, { plan: { handler, isLimited }, calls, aborts, records: [record] }: Seen): boolean {
  const isTooSlow = aborts[0] === ABORTS.tooSlow || calls === 0;
  if (status === 503) return isLimited && Number(record?.durationMs) >= LIMIT_MS - 1;
  const isAborted = aborts.length > 0;
  if (isTooSlow || handler === 'never' || (handler === 'untilAborted' && !isAborted)) return false;
  const fails = handler === 'throw' || handler === 'reject' || (handler === 'heed' && isAborted);
  return status === (fails ? 500 : 200);
}

function faultsInHandler(
  one: Seen, { end }: ConnectionPlan, { hasLeft }: Received, { isCut }: Known, hasDropped: boolean,
) {
  const { plan: { id, isLimited }, calls, isRunning, aborts, records } = one;
  const isGone = end !== 'wait' && hasLeft;
  const reasons = new Map<string, boolean>([
    [ABORTS.closed, isGone], [ABORTS.halfClosed, isGone], [ABORTS.stopped, isCut],
    [ABORTS.dropped, hasDropped], [ABORTS.tooSlow, isLimited],
  ]);
  return failing(id, {
    'one call at most': calls <= 1,
    'one record of each call': records.length === 1 || records.length === calls,
    'one abort at most': aborts.length <= 1,
    [`a reason that may be: ${aborts[0]}`]: aborts.every((reason) => reasons.get(reason) === true),
    'an end': !isRunning,
  });
}

const failing = (id: number, rules: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.entries(rules).filter(([, isSo]) => !isSo).map(([what]) => `request ${id} lacks ${what}`);
