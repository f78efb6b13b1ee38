// Key updates of TLS 1.3 (RFC 8446 4.6.3). They take no turns: TLS carries out all that a read brings, 2,225 in 50 ms.
// So whoever sends many is cut off, before more is read. One that asks for an update of ours counts as two.
import { Socket } from 'node:net';
import { setImmediate } from 'node:timers';
import type { TLSSocket } from 'node:tls';
import type { Connection } from './connection.ts';

const MAX_OF_CONNECTION = 16;
const MAX_OF_CLIENT = 999; // 25 ms of CPU time, until `forget`

/** Counts them. `cut` is called for connections that have, or whose client has, too many: their sockets are closed. */
export function createKeyUpdates(connections: ReadonlySet<Connection>, cut: (connection: Connection) => void) {
  const counts = new Map<string, number>(); // by name of the client

  function count(connection: Connection): void {
    const { name } = connection.client;
    const ofClient = 1 + (counts.get(name) ?? 0);
    counts.set(name, ofClient);
    connection.keyUpdates += 1;
    if (connection.keyUpdates === MAX_OF_CONNECTION + 1) close(connection);
    if (ofClient !== MAX_OF_CLIENT + 1) return;
    for (const other of connections) {
      if (other.client.name === name) close(other);
    }
  }

  // Inside OpenSSL: TLS may be closed only after that.
  function close(connection: Connection): void {
    if (connection.socket.destroyed) return;
    connection.socket.destroy();
    setImmediate(cut, connection);
  }

  return {
    /** To be called after the handshake: from then on, `keylog` tells of nothing else. */
    watch(connection: Connection, secured: TLSSocket): void {
      if (connection.socket instanceof Socket) secured.on('keylog', () => count(connection)); // others close too soon
    },
    /** To be called each second. */
    forget: (): void => counts.clear(),
  };
}
