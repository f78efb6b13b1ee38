// What must be true of a connection, whatever was planned, and in whatever order it happened.
import { ABORTS } from '../../../src/http/request.ts';
import { contentOf, replyTo } from './bytes.ts';
import { hasAll, isLast } from './client.ts';
import { LIMIT_MS, NEVER, type Connection, type Request } from './generate.ts';

// Why the service may end a connection that has done nothing wrong: it wants room, or the machine is slow.
const EXCUSES = ['newRefused', 'idleClosed', 'busyClosed', 'handshakeTooSlow', 'proxyHeaderTooSlow'];

type State = { readonly isStopping: boolean; readonly isCut: boolean }; // of the service: cut is what was left then

/** The rules that are broken. `ends`: why connections have ended. */
export function faultsIn(connections: readonly Connection[], ends: readonly string[], { isStopping, isCut }: State) {
  const faults: string[] = [];
  const must = (rule: string, holds: boolean) => void (holds || faults.push(`not so: ${rule}`));
  const excused = ends.filter((reason) => EXCUSES.includes(reason)).length;
  const unanswered = connections.filter((one) => !isCut && !isAnswered(one, isStopping));
  for (const { number, isHonest, replies: { length }, error } of unanswered) {
    must(`connection ${number} has more than ${length} replies: ${error}`, !isHonest && unanswered.length <= excused);
  }
  for (const { number, takesOver, requests, replies, rest, sent, hasLeft, address } of connections) {
    for (const { id, calls, isRunning, aborts, records, isLimited } of requests) {
      const reasons = new Map<string, boolean>([
        [ABORTS.closed, hasLeft], [ABORTS.halfClosed, hasLeft], [ABORTS.stopped, isCut], [ABORTS.dropped, excused > 0],
        [ABORTS.tooSlow, isLimited],
      ]);
      must(`${id} has one call at most, which ends`, calls <= 1 && !isRunning);
      must(`${id} has one record of each call`, records.length === 1 || records.length === calls);
      must(`${id} has one abort at most`, aborts.length <= 1);
      must(`${id} has a reason of its abort: ${aborts}`, aborts.every((reason) => reasons.get(reason) === true));
    }
    for (const [i, reply] of replies.entries()) {
      const { status, body } = reply;
      const one = requests[i];
      const hasEnded = isLast(reply);
      if (takesOver !== undefined && one !== undefined) {
        must(`connection ${number} gets back what it has sent`, contentOf(one).subarray(0, rest.length).equals(rest));
      } else if (one === undefined || i >= sent) { // to half a request
        must(`connection ${number} has at most ${i} replies`, hasLeft && status === 400 && hasEnded);
      } else {
        const endsIt = one.isLast || status === 503; // the connection
        const isOwn = status === 500 ? body.includes(`/${one.id}"`) : body === replyTo(one, contentOf(one), address);
        must(`${one.id} has no reply after the last`, !hasEnded || i === replies.length - 1);
        must(`${one.id} has the status in its record`, one.records[0]?.status === status);
        must(`${one.id} has a status that may be: ${status}`, mayBe(status, one));
        must(`${one.id} has its own content`, isOwn || status === 503);
        must(`${one.id} has the last reply`, hasEnded || !endsIt);
        must(`${one.id} has no last reply`, !hasEnded || endsIt || isStopping);
      }
    }
  }
  return faults;
}

// Whether all was answered, or it can be seen why not.
function isAnswered(one: Connection, isStopping: boolean): boolean {
  const { takesOver, end, requests, replies, rest, sent, hasLeft } = one;
  const next = requests[replies.length];
  if (hasAll(one) || (hasLeft && end !== 'halfClose')) return true;
  if (takesOver === undefined && rest.length > 0) return false; // part of a reply
  if (isLast(replies.at(-1)) || (hasLeft && sent <= replies.length)) return true;
  const mayBeLost = isStopping || (hasLeft && next?.hasSeat === true); // if it has not begun
  return mayBeLost && next?.calls === 0;
}

function mayBe(status: number, { handler, ms, throws, isLimited, calls, aborts, records }: Request): boolean {
  if (status === 503) return isLimited && Number(records[0]?.durationMs) >= LIMIT_MS - 1;
  const isHeeded = handler === 'heeds' && aborts.length > 0;
  if (calls === 0 || aborts[0] === ABORTS.tooSlow || (handler !== 'returns' && ms === NEVER && !isHeeded)) return false;
  return status === (throws || isHeeded ? 500 : 200);
}
