// What must be true of a connection, whatever was planned, and in whatever order it happened.
import { ABORTS } from '../../../src/http/request.ts';
import { contentOf, replyTo } from './bytes.ts';
import { hasAll, isLast } from './client.ts';
import { LIMIT_MS, NEVER, type Connection, type Request } from './generate.ts';

// Why the service may end a connection that has done nothing wrong: it wants room, or the machine is slow.
const EXCUSES = ['newRefused', 'idleClosed', 'busyClosed', 'handshakeTooSlow', 'proxyHeaderTooSlow'];

/** What is wrong, in words. `ends`: why connections have ended. `isCut`: the service has closed what was left. */
export function faultsIn(
  connections: readonly Connection[], ends: readonly string[], isStopping: boolean, isCut: boolean,
): readonly string[] {
  const excused = ends.filter((reason) => EXCUSES.includes(reason)).length;
  const unanswered = connections.filter((one) => !isCut && !isAnswered(one, isStopping));
  return [
    ...connections.flatMap((one) => faultsInReplies(one, isStopping)),
    ...connections.flatMap(({ requests, hasLeft }) =>
      requests.flatMap((one) => faultsInHandler(one, hasLeft, isCut, excused > 0))),
    ...unanswered.filter(({ isHonest }) => isHonest || unanswered.length > excused)
      .map(({ number, replies: { length }, error }) => `connection ${number} has no reply after ${length}: ${error}`),
  ];
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

function faultsInReplies(connection: Connection, isStopping: boolean): readonly string[] {
  const { number, takesOver, requests, replies, rest, sent, hasLeft, address } = connection;
  const [first] = requests;
  if (takesOver !== undefined && first !== undefined && replies.length > 0) {
    const isSame = contentOf(first).subarray(0, rest.length).equals(rest);
    return isSame ? [] : [`connection ${number} gets back other bytes than it has sent`];
  }
  return replies.flatMap((reply, i) => {
    const { status, body } = reply;
    const hasEnded = isLast(reply);
    const one = requests[i];
    if (one === undefined || i >= sent) { // to half a request
      return hasLeft && status === 400 && hasEnded ? [] : [`connection ${number} has a reply too many, after ${i}`];
    }
    const own = replyTo(one, contentOf(one), address);
    return lacking(one, {
      'no reply after the last': !hasEnded || i === replies.length - 1,
      'the status in its record': one.records[0]?.status === status,
      [`a status that may be: ${status}`]: mayBe(status, one),
      'its own content': status === 503 || (status === 200 ? body === own : body.includes(`/${one.id}"`)),
      'its fate for the connection': hasEnded === (one.isLast || status === 503) || (hasEnded && isStopping),
    });
  });
}

function mayBe(status: number, { handler, ms, throws, isLimited, calls, aborts, records }: Request): boolean {
  if (status === 503) return isLimited && Number(records[0]?.durationMs) >= LIMIT_MS - 1;
  const isHeeded = handler === 'heeds' && aborts.length > 0;
  if (calls === 0 || aborts[0] === ABORTS.tooSlow || (handler !== 'returns' && ms === NEVER && !isHeeded)) return false;
  return status === (throws || isHeeded ? 500 : 200);
}

function faultsInHandler(one: Request, hasLeft: boolean, isCut: boolean, hasDropped: boolean) {
  const { calls, isRunning, aborts, records } = one;
  const reasons = new Map<string, boolean>([
    [ABORTS.closed, hasLeft], [ABORTS.halfClosed, hasLeft], [ABORTS.stopped, isCut], [ABORTS.dropped, hasDropped],
    [ABORTS.tooSlow, one.isLimited],
  ]);
  return lacking(one, {
    'one call at most': calls <= 1,
    'one record of each call': records.length === 1 || records.length === calls,
    [`one abort at most, for a reason: ${aborts}`]: aborts.length <= 1 && aborts.every((reason) => reasons.get(reason)),
    'an end': !isRunning,
  });
}

const lacking = ({ id }: Request, rules: Readonly<Record<string, boolean>>) =>
  Object.entries(rules).filter(([, isSo]) => !isSo).map(([what]) => `request ${id} lacks ${what}`);
