// What must be true of a connection, whatever was planned, and in whatever order it happened.
import { ABORTS } from '../../../src/http/request.ts';
import { contentOf, replyTo } from './bytes.ts';
import { hasAll, isLastReply, type Received } from './client.ts';
import { LIMIT_MS, NEVER, type ConnectionPlan } from './generate.ts';
import type { Seen } from './server.ts';

// Why the service may end a connection that has done nothing wrong: it wants room, or the machine is slow.
const EXCUSES = ['newRefused', 'idleClosed', 'busyClosed', 'handshakeTooSlow', 'proxyHeaderTooSlow'];

/** What is known of a round: its requests by path, whether the service has stopped early, or cut what was left. */
type Known = Readonly<{
  seen: ReadonlyMap<string, Seen>; isStopping: boolean; isCut: boolean;
  ends: readonly string[]; // why connections have ended
}>;

/** What is wrong, in words. */
export function faultsIn(pairs: readonly (readonly [ConnectionPlan, Received])[], known: Known): readonly string[] {
  const excused = known.ends.filter((reason) => EXCUSES.includes(reason)).length;
  const [faults, ends]: [string[], string[]] = [[], []];
  for (const [plan, received] of pairs) {
    const { replies: { length }, rest, error, hasLeft } = received;
    const all = plan.requests.map(({ id }) => known.seen.get(`/${id}`)).filter((one) => one !== undefined);
    const name = (fault: string) => `connection ${plan.number} (${plan.over}, ${plan.address}, ${plan.end}): ${fault}`;
    faults.push(...faultsInReplies(plan, received, all, known.isStopping).map(name));
    faults.push(...all.flatMap((one) => faultsInHandler(one, hasLeft, known.isCut, excused > 0)).map(name));
    if (isAnswered(plan, received, all[length], known)) continue;
    ends.push(name(`${length} of ${all.length} replies, ${rest.length} bytes more, ${String(error)}`));
  }
  return ends.length > excused ? [...faults, ...ends] : faults;
}

// Whether all was answered, or it can be seen why not. `next` is the first request without a reply.
function isAnswered(plan: ConnectionPlan, received: Received, next: Seen | undefined, known: Known): boolean {
  const { replies, rest, sent, hasLeft } = received;
  if (hasAll(plan, received) || known.isCut || (hasLeft && plan.end !== 'halfClose')) return true;
  if (plan.takesOver === undefined && rest.length > 0) return false; // part of a reply
  if (isLastReply(replies.at(-1)) || (hasLeft && sent <= replies.length)) return true;
  const mayBeLost = known.isStopping || (hasLeft && next?.plan.hasSeat === true); // if it has not begun
  return mayBeLost && next?.calls === 0;
}

function faultsInReplies(plan: ConnectionPlan, received: Received, all: readonly Seen[], isStopping: boolean) {
  const { replies, rest, sent, hasLeft } = received;
  const [first] = plan.requests;
  if (plan.takesOver !== undefined && first !== undefined && replies.length > 0) {
    return contentOf(first).subarray(0, rest.length).equals(rest) ? [] : ['other bytes than were sent'];
  }
  return replies.flatMap((reply, i) => {
    const { status, body } = reply;
    const isLast = isLastReply(reply);
    const one = all[i];
    if (one === undefined || i >= sent) { // to half a request
      return hasLeft && status === 400 && isLast ? [] : [`a reply too many, number ${i}`];
    }
    const own = replyTo(one.plan, contentOf(one.plan), plan.address);
    return lacking(one.plan.id, {
      'no reply after the last': !isLast || i === replies.length - 1,
      'the status in its record': one.records[0]?.status === status,
      [`a status that may be: ${status}`]: mayBe(status, one),
      'its own content': status === 503 || (status === 200 ? body === own : body.includes(`/${one.plan.id}"`)),
      'its fate for the connection': isLast === (one.plan.isLast || status === 503) || (isLast && isStopping),
    });
  });
}

function mayBe(status: number, { plan: { handler, ms, throws, isLimited }, calls, aborts, records }: Seen): boolean {
  if (status === 503) return isLimited && Number(records[0]?.durationMs) >= LIMIT_MS - 1;
  const isHeeded = handler === 'heeds' && aborts.length > 0;
  if (calls === 0 || aborts[0] === ABORTS.tooSlow || (handler !== 'returns' && ms === NEVER && !isHeeded)) return false;
  return status === (throws || isHeeded ? 500 : 200);
}

function faultsInHandler(one: Seen, hasLeft: boolean, isCut: boolean, hasDropped: boolean) {
  const { plan, calls, isRunning, aborts, records } = one;
  const reasons = new Map<string, boolean>([
    [ABORTS.closed, hasLeft], [ABORTS.halfClosed, hasLeft], [ABORTS.stopped, isCut], [ABORTS.dropped, hasDropped],
    [ABORTS.tooSlow, plan.isLimited],
  ]);
  return lacking(plan.id, {
    'one call at most': calls <= 1,
    'one record of each call': records.length === 1 || records.length === calls,
    [`one abort at most, for a reason: ${aborts}`]: aborts.length <= 1 && aborts.every((reason) => reasons.get(reason)),
    'an end': !isRunning,
  });
}

const lacking = (id: number, rules: Readonly<Record<string, boolean>>) =>
  Object.entries(rules).filter(([, isSo]) => !isSo).map(([what]) => `request ${id} lacks ${what}`);
