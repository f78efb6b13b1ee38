// Key updates of TLS 1.3 (RFC 8446 4.6.3). They take no turns: TLS carries out all that a read brings, 2,225 in 50 ms.
// So whoever sends many is cut off, before more is read. One that asks for an update of ours counts as two.
import { Socket } from 'node:net';
import { setImmediate } from 'node:timers';
import type { TLSSocket } from 'node:tls';
import type { Connection } from './connection.ts';

const MAX_OF_CONNECTION = 16;
const CUT_CLIENT_AT = 1_000; // at each 1,000th in a second: 25 ms of CPU time

type Cut = (connection: Connection) => void;

/**
 * Counts them from the end of the handshake on: from then on, `keylog` tells of nothing else. `cut` is called for those
 * of `all` connections that have, or whose client has, too many: their sockets are closed.
 */
export function watchKeyUpdates(connection: Connection, secured: TLSSocket, all: Iterable<Connection>, cut: Cut): void {
  if (!(connection.socket instanceof Socket)) return; // others close too soon
  const { client } = connection;
  secured.on('keylog', () => {
    connection.keyUpdates += 1;
    client.keyUpdates += 1;
    if (connection.keyUpdates > MAX_OF_CONNECTION) close(connection, cut);
    if (client.keyUpdates % CUT_CLIENT_AT !== 0) return;
    for (const other of all) if (other.client === client) close(other, cut);
  });
}

// Inside OpenSSL: TLS may be closed only after that.
function close(connection: Connection, cut: Cut): void {
  if (connection.socket.destroyed) return;
  connection.socket.destroy();
  setImmediate(cut, connection);
}
