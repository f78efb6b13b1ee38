// All connections of a server: how many there may be, how long each may last, and how they are closed.
import type { Server, Socket } from 'node:net';
import type { Connection } from './connection.ts';
import type { Limits } from './limits.ts';
import type { Reports } from './reports.ts';
import type { SecureSocket } from './tls.ts';

/** Keeps the connections that `listener` accepts, at most `maxConnections` at once. Checks their time limits from now on. */
export function createConnections(listener: Server, maxConnections: number, limits: Limits, reports: Reports) {
  const all = new Map<Connection, SecureSocket | undefined>(); // each with its TLS socket, if it has one
  let isListening = true;
  let isClosing = false;
  let resolveEnded: () => void;
  const ended = new Promise<void>((resolve) => { resolveEnded = resolve; });

  const timer = setInterval(sweep, limits.sweepMs).unref();

  function sweep(): void {
    for (const [connection, secureSocket] of all) {
      connection.addTime(limits.sweepMs, limits);
      const isLate = secureSocket?.isHandshaking() && connection.stateMs >= limits.headMs + limits.sweepMs;
      if (isLate || secureSocket?.isFlood()) connection.cut();
    }
    if (isClosing) closeIdle();
  }

  function closeIdle(): void {
    for (const connection of all.keys()) if (connection.isIdle) connection.cut();
  }

  function endIfEmpty(): void {
    if (isListening || all.size > 0) return;
    clearInterval(timer);
    resolveEnded();
  }

  function stopListening(): void {
    isListening = false;
    listener.close();
    endIfEmpty();
  }

  function reportDropped(reason: 'idle' | 'full'): void {
    try {
      reports.dropped(reason);
    } catch (error) {
      reports.failed(error, '');
    }
  }

  return {
    /** Whether one more connection is accepted. At the limit, the one that has been idle longest is closed for it. */
    makeRoom: (): boolean => {
      if (all.size < maxConnections) return true;
      let longestIdle: Connection | undefined;
      for (const connection of all.keys()) {
        if (connection.isIdle && connection.stateMs > (longestIdle?.stateMs ?? -1)) longestIdle = connection;
      }
      reportDropped(longestIdle === undefined ? 'full' : 'idle');
      if (longestIdle === undefined) return false;
      all.delete(longestIdle);
      longestIdle.cut();
      return true;
    },
    /** Keeps `connection` until `socket`, which carries it, has closed. */
    add: (connection: Connection, socket: Socket, secureSocket: SecureSocket | undefined): void => {
      all.set(connection, secureSocket);
      socket.once('close', () => {
        all.delete(connection);
        endIfEmpty();
      });
    },
    /** Stops listening. */
    stopListening,
    /** Stops listening, closes idle connections, and resolves when the others have ended. */
    close: (): Promise<void> => {
      stopListening();
      for (const connection of all.keys()) if (connection.isIdle && !connection.isNew) connection.cut();
      // New ones later: a client that has just connected may have sent its request already.
      setTimeout(() => { isClosing = true; closeIdle(); }, limits.silentMs).unref();
      return ended;
    },
    /** Closes all connections at once, and returns on how many of them a reply had not left. */
    closeAll: (): number => Array.from(all.keys()).filter((connection) => connection.cut()).length,
  };
}
