// Key updates of TLS 1.3 (RFC 8446 4.6.3). They take no turns: TLS carries out all that a read brings, 2,225 in 50 ms.
// So whoever sends many is cut off, before more is read.
import type { Connection } from './connection.ts';

const MAX_OF_CONNECTION = 16;
const MAX_OF_CLIENT = 999; // 25 ms of CPU time, until `forget`

/** Counts updates. `cutOff` is called while TLS is at work: it may close the socket below that, and nothing else. */
export function createKeyUpdates(connections: ReadonlySet<Connection>, cutOff: (connection: Connection) => void) {
  const counts = new Map<string, number>(); // by name of the client

  return {
    /** A connection has brought one. */
    count(connection: Connection): void {
      const { name } = connection.client;
      const count = 1 + (counts.get(name) ?? 0);
      counts.set(name, count);
      connection.keyUpdates += 1;
      if (connection.keyUpdates === MAX_OF_CONNECTION + 1) cutOff(connection);
      if (count !== MAX_OF_CLIENT + 1) return;
      for (const other of connections) {
        if (other.client.name === name) cutOff(other);
      }
    },
    /** To be called each second. */
    forget: (): void => counts.clear(),
  };
}
