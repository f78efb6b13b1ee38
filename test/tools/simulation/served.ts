// A client, the replies that were written to it, and what is known of the moment of each.
import type { Outcome } from '../../support/sequences/invariants.ts';
import { hasBegun, isWhole, type SentPart } from '../../support/sequences/part.ts';
import { parseReplies } from '../../support/exchange.ts';
import type { Client } from './client.ts';
import type { Moment } from './clock.ts';
import type { Written } from './service-end.ts';
import type { World } from './world.ts';

/** `writes`: one for each reply. */
export type Served = Outcome & { readonly client: Client; readonly writes: readonly Written[] };

export const isAfter = (one: Moment | undefined, other: Moment | undefined) =>
  one !== undefined && other !== undefined && one.order > other.order;

/** Throws when a reply to `client` is not complete. */
export function servedIn(world: World, client: Client): Served {
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

/** When the byte at this place was sent. */
export function sentAt({ sends }: Client, place: number): Moment | undefined {
  return sends.find(({ to }) => to > place)?.at;
}

/** When the last byte of a request was sent. */
function wholeAt(client: Client, sent: SentPart): Moment | undefined {
  return isWhole(sent) ? sentAt(client, sent.from + sent.sent - 1) : undefined;
}

/** By `closeAll`, or for a new connection. */
export function wasCut(client: Client, { cutAt, closedForRoom }: World): boolean {
  return closedForRoom.has(client) || isAfter(client.end.closedAt, cutAt);
}
