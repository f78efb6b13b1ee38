// Which connection is closed when all places are taken and one more client comes. So no client can keep the others out.
import type { Connection } from './connection.ts';

type Candidate = Pick<Connection, 'isOver' | 'change'>;

/** All connections of one client. */
export type Group = { size: number };

/**
 * The connection that is closed for a new one of the client with the group `own`, and why; undefined: none is, so the new one must be. It
 * is one of the client that has the most, the new one counted: the one that is idle longest, or, if another client asks, that is longest
 * in its state.
 */
export function chooseVictim<C extends Candidate>(all: Iterable<readonly [C, Group]>, own: Group | undefined) {
  const ownSize = (own?.size ?? 0) + 1;
  let most = ownSize;
  let idle: C | undefined, busy: C | undefined;
  for (const [connection, group] of all) {
    const size = group === own ? ownSize : group.size;
    if (size > most) { most = size; idle = busy = undefined; }
    if (size < most) continue;
    if (isLonger(connection, idle) && connection.isOver) idle = connection;
    else if (isLonger(connection, busy)) busy = connection;
  }
  if (idle !== undefined) return { connection: idle, reason: 'idleClosed' } as const;
  return busy === undefined || ownSize === most ? undefined : { connection: busy, reason: 'busyClosed' } as const;
}

const isLonger = (one: Candidate, other: Candidate | undefined) => other === undefined || one.change < other.change; // in its state
