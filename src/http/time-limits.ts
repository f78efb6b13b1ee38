// Looks at all connections once a second, and closes those that have been inactive for too long, and those of TLS clients that
// send almost only records without data. Node itself checks how long a request takes to arrive.
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Connection } from './connection.ts';
import type { Limits } from './limits.ts';

const BYTES_PER_DATA_BYTE = 64; // over TLS: a record with a single byte of data has about 25 bytes

/** A connection, and what the last sweep has seen of it. */
export type Entry = {
  readonly connection: Connection;
  /** Over TLS: the TCP socket below. */
  readonly carrier: Socket | undefined;
  carriedBytes: number;
  bytesRead: number;
  bytesWritten: number;
  /** For how long it has not been active, in milliseconds. */
  inactiveMs: number;
};

/** The entry of a new connection. `inactiveMs` begins below 0, because the first sweep adds `sweepMs`, and may come at once. */
export function newEntry(connection: Connection, carrier: Socket | undefined, { sweepMs }: Limits): Entry {
  return { connection, carrier, carriedBytes: carrier?.bytesRead ?? 0, bytesRead: 0, bytesWritten: 0, inactiveMs: -sweepMs };
}

/**
 * Looks at all `entries` once in `sweepMs`. Closes connections as said above, and moves those that have been active to
 * the end of the map. Then calls `swept`.
 */
export function startSweep(entries: Map<Duplex, Entry>, limits: Limits, keepAliveTimeoutMs: number, swept: () => void): NodeJS.Timeout {
  function sweep(): void {
    for (const [socket, entry] of Array.from(entries)) {
      entry.connection.forgetRepliesThatLeft();
      if (isFlood(entry)) socket.destroy();
      if (hasBeenActive(entry)) {
        entry.inactiveMs = 0;
        entries.delete(socket);
        entries.set(socket, entry);
      } else {
        entry.inactiveMs += limits.sweepMs;
      }
      if (entry.inactiveMs >= limitOf(entry.connection)) socket.destroy();
    }
    swept();
  }

  // Over TLS, a client can send records without data. Those of the type KeyUpdate (RFC 8446 4.6.3) cost much CPU, and nothing
  // else in the service notices them.
  function isFlood(entry: Entry): boolean {
    if (entry.carrier === undefined) return false;
    const carried = entry.carrier.bytesRead - entry.carriedBytes;
    const data = entry.connection.socket.bytesRead - entry.bytesRead;
    entry.carriedBytes += carried;
    return carried > limits.tlsOverheadBytes + BYTES_PER_DATA_BYTE * data;
  }

  function limitOf(connection: Connection): number {
    if (connection.isLingering && connection.socket.writableLength === 0) return limits.lingerMs;
    if (connection.socket.writableLength > 0 || connection.isEnding) return limits.unreadMs;
    if (!connection.isBusy) return keepAliveTimeoutMs;
    return Infinity; // a request is arriving: node's own time-outs end that
  }

  return setInterval(sweep, limits.sweepMs).unref();
}

// A connection is active when bytes have been written or received. While a reply is unread, and when the last reply is
// known, only written bytes count: a client cannot hold a connection by sending.
function hasBeenActive(entry: Entry): boolean {
  const { bytesRead, bytesWritten, writableLength } = entry.connection.socket;
  const hasWritten = bytesWritten !== entry.bytesWritten;
  const hasRead = bytesRead !== entry.bytesRead && writableLength === 0 && !entry.connection.isEnding;
  entry.bytesRead = bytesRead;
  entry.bytesWritten = bytesWritten;
  return hasWritten || hasRead;
}
