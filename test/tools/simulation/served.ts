// A client, and the replies that were written to it, each judged by what the client had sent by then.
import { answerTo, type Answer } from '../../support/sequences/answers.ts';
import type { Outcome } from '../../support/sequences/invariants.ts';
import { hasBegun, isWhole, type SentPart } from '../../support/sequences/part.ts';
import { parseReplies } from '../../support/exchange.ts';
import type { Client } from './client.ts';
import type { Moment } from './clock.ts';
import type { Written } from './service-end.ts';
import type { World } from './world.ts';

type Replied = Answer & {
  readonly write: Written;
  readonly hasLeft: boolean | undefined; // the kernel has taken all of the reply. Undefined: both are right.
};
export type Served = Omit<Outcome, 'answers'> & { readonly client: Client; readonly answers: readonly Replied[] };

const isAfter = (one: Moment | undefined, other: Moment | undefined) => one !== undefined && other !== undefined && one.order > other.order;

/** Throws when a reply to `client` is not complete. */
export function servedIn(world: World, client: Client): Served {
  const { sending: { parts }, writes, leftAt, endedAt, end: { endedAt: serviceEndedAt, closedAt: serviceClosedAt } } = client;
  const replies = parseReplies(client.replies);
  if (replies.length !== writes.length) throw new Error(`${replies.length} replies in ${writes.length} pieces`);

  const isHeardLate = ({ takenAt }: Written) =>
    client.isSecure && takenAt !== undefined && serviceClosedAt !== undefined && serviceClosedAt.iteration - takenAt.iteration <= 1;

  // What the kernel takes after the client has gone is lost, so both are right. Over TLS the service hears of it an iteration later.
  const hasLeft = (write: Written) =>
    (isAfter(write.takenAt, leftAt) || isHeardLate(write) ? undefined : write.takenAt !== undefined);

  return {
    client, parts,
    answers: writes.flatMap((write, i) => {
      const reply = replies[i];
      if (reply === undefined) return [];
      const answer = answerTo(parts[i], reply, (sent) => ({
        isWhole: isAfter(write.at, wholeAt(client, sent)),
        isDraining: isAfter(write.at, world.drainedAt),
        hasEnded: isAfter(write.at, endedAt),
        isLate: hasBegun(sent), // lateOnesAreRefused has more about it
      }));
      return [{ ...answer, write, hasLeft: hasLeft(write) }];
    }),
    bytesRead: client.bytesRead,
    hasStayed: leftAt === undefined && !wasCut(client, world) && (writes.length === 0 || writes.at(-1)?.takenAt !== undefined),
    hasEnded: endedAt !== undefined && !isAfter(endedAt, serviceClosedAt),
    isEnded: serviceEndedAt !== undefined || serviceClosedAt !== undefined,
  };
}

/** When the byte at this place was sent. */
export function sentAt({ sends }: Client, place: number): Moment | undefined {
  return sends.find(({ to }) => to > place)?.at;
}

/** When the last byte of a request was sent. */
function wholeAt(client: Client, sent: SentPart): Moment | undefined {
  return isWhole(sent) ? sentAt(client, sent.from + sent.sent - 1) : undefined;
}

/** By `closeAll`, or for a new connection. */
export function wasCut(client: Client, { cut, closedForRoom }: World): boolean {
  return closedForRoom.some((closed) => closed.client === client) || isAfter(client.end.closedAt, cut?.at);
}
