// Which connection is closed when `maxConnections` are open and one more arrives. No client can keep the others out.
import type { Connection } from './connection.ts';

/**
 * The connection that is closed for a new one of `client`, and why. `groups` has all connections, by client. It belongs to the client with
 * the most, counting the new one. It is the one idle or lingering longest; or, if none is, and `client` has fewer than the most, the one
 * longest in its state.
 */
export function chooseVictim(groups: ReadonlyMap<string, ReadonlySet<Connection>>, client: string) {
  const own = (groups.get(client)?.size ?? 0) + 1;
  let most = own;
  for (const { size } of groups.values()) if (size > most) most = size;
  let idle: Connection | undefined, busy: Connection | undefined;
  for (const [name, group] of groups) {
    if ((name === client ? own : group.size) < most) continue;
    for (const connection of group) {
      if (isLongerInState(connection, idle) && connection.isExpendable) idle = connection; // `isExpendable` second, because it takes longer
      else if (isLongerInState(connection, busy)) busy = connection; // perhaps a less long idle one, but then `idle` is used
    }
  }
  if (idle !== undefined) return { connection: idle, reason: 'idleClosed' } as const;
  return busy === undefined || own === most ? undefined : { connection: busy, reason: 'busyClosed' } as const;
}

const isLongerInState = (one: Connection, other?: Connection) => other === undefined || one.state.changedAt < other.state.changedAt;
