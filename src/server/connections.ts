// All connections of a server: how many there may be, how long each may last, and how they are closed.
import type { Server, Socket } from 'node:net';
import { Addresses } from './addresses.ts';
import type { Connection } from './connection.ts';
import type { Limits } from './limits.ts';
import { reportSafely, type Reports } from './reports.ts';

/** Keeps the connections that `listener` accepts, at most `maxConnections` at once. Checks their time limits from now on. */
export function createConnections(listener: Server, maxConnections: number, limits: Limits, reports: Reports) {
  const all = new Set<Connection>();
  const handshaking = new Set<Connection>(); // those of them whose TLS handshake is not over
  const addresses = new Addresses();
  let isListening = true;
  let isClosing = false;
  let resolveEnded: () => void;
  const ended = new Promise<void>((resolve) => { resolveEnded = resolve; });

  const timer = setInterval(sweep, limits.sweepMs).unref();

  function sweep(): void {
    for (const connection of all) connection.addTime(limits.sweepMs, limits);
    for (const connection of handshaking) if (connection.stateMs >= limits.headMs + limits.sweepMs) connection.cut();
    if (isClosing) closeIdle();
  }

  function closeIdle(): void {
    for (const connection of all) if (connection.isIdle) connection.cut();
  }

  function endIfEmpty(): void {
    if (isListening || all.size > 0) return;
    clearInterval(timer);
    resolveEnded();
  }

  function remove(connection: Connection): void {
    all.delete(connection);
    handshaking.delete(connection);
    addresses.remove(connection);
  }

  function stopListening(): void {
    isListening = false;
    listener.close();
    endIfEmpty();
  }

  return {
    /** Whether one more connection is accepted from this address. When all places are taken, one is closed for it, or it is not accepted. */
    makeRoom: (clientAddress: string | undefined): boolean => {
      if (all.size < maxConnections) return true;
      const givenUp = addresses.giveUp(clientAddress);
      reportSafely(reports, ({ dropped }) => dropped(givenUp?.reason ?? 'full'));
      if (givenUp === undefined) return false;
      remove(givenUp.connection);
      givenUp.connection.cut();
      return true;
    },
    /** Keeps `connection` until `socket`, which carries it, has closed. `isSecure`: the socket is a TLSSocket. */
    add: (connection: Connection, socket: Socket, isSecure: boolean): void => {
      all.add(connection);
      if (isSecure) {
        handshaking.add(connection);
        socket.once('secure', () => handshaking.delete(connection)); // https://nodejs.org/api/tls.html#event-secure
      }
      addresses.add(connection);
      socket.once('close', () => {
        remove(connection);
        endIfEmpty();
      });
    },
    /** Stops listening. */
    stopListening,
    /** Stops listening, closes idle connections, and resolves when the others have ended. */
    close: (): Promise<void> => {
      stopListening();
      for (const connection of all) if (connection.isIdle && !connection.isNew) connection.cut();
      // New ones later: a client that has just connected may have sent its request already.
      setTimeout(() => { isClosing = true; closeIdle(); }, limits.silentMs).unref();
      return ended;
    },
    /** Closes all connections at once, and returns on how many of them a reply had not left. */
    closeAll: (): number => Array.from(all).filter((connection) => connection.cut()).length,
  };
}
