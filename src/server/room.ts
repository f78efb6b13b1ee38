// Which connection is closed when `maxConnections` are open and one more arrives. No client can keep the others out.
import type { Connection } from './connection.ts';

/** How many connections one client has. */
export type Group = { size: number };

/**
 * The connection that is closed for a new one of the client with the group `own`, and why. It belongs to the client with the most
 * connections, counting the new one. It is the one idle longest; or, if none is idle and the new one's client has fewer than the most,
 * the one longest in its state. Undefined: there is none.
 */
export function chooseVictim(all: Iterable<readonly [Connection, Group]>, own: Group | undefined) {
  const ownSize = (own?.size ?? 0) + 1;
  let most = ownSize;
  let idle: Connection | undefined, busy: Connection | undefined;
  for (const [connection, group] of all) {
    const size = group === own ? ownSize : group.size;
    if (size > most) { most = size; idle = busy = undefined; }
    if (size < most) continue;
    if (isLongerInState(connection, idle) && connection.isExpendable) idle = connection; // `isExpendable` second, because it takes longer
    else if (isLongerInState(connection, busy)) busy = connection; // perhaps a less long idle one, but then `idle` is used
  }
  if (idle !== undefined) return { connection: idle, reason: 'idleClosed' } as const;
  return busy === undefined || ownSize === most ? undefined : { connection: busy, reason: 'busyClosed' } as const;
}

const isLongerInState = (one: Connection, other: Connection | undefined) => other === undefined || one.change < other.change;
