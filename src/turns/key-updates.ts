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
 * of `all` connections that have, or whose client has, too many.
 */
export function watchKeyUpdates(connection: Connection, secured: TLSSocket, all: Iterable<Connection>, cut: Cut): void {
  const { client, socket } = connection;
  if (!(socket instanceof Socket)) return; // others close too soon
  let own = 0;
  secured.on('keylog', () => {
    own += 1;
    client.keyUpdates += 1;
    const isOverForAll = client.keyUpdates % CUT_CLIENT_AT === 0;
    if (!isOverForAll && own <= MAX_OF_CONNECTION) return;
    // This is inside OpenSSL, so TLS may be closed only after it. The socket below must be at once: it would read on.
    if (!socket.destroyed) setImmediate(cut, connection);
    socket.destroy();
    for (const other of all) if (isOverForAll && other.client === client && other !== connection) cut(other);
  });
}
