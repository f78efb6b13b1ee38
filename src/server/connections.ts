// All connections of a server: how many there may be, how long each may last, and how they are closed.
import type { Server, Socket } from 'node:net';
import { Addresses } from './addresses.ts';
import type { Connection } from './connection.ts';
import type { Limits } from './limits.ts';
import { reportSafely, type Reports } from './reports.ts';

/** Keeps the connections that `listener` accepts, at most `maxConnections` at once. Checks their time limits from now on. */
export function createConnections(listener: Server, maxConnections: number, limits: Limits, reports: Reports) {
  const all = new Map<Connection, { readonly socket: Socket; readonly leaveAddress: () => void }>();
  const addresses = new Addresses();
  let isListening = true;
  let isClosing = false;
  let resolveEnded: () => void;
  const ended = new Promise<void>((resolve) => { resolveEnded = resolve; });

  const timer = setInterval(sweep, limits.sweepMs).unref();

  function sweep(): void {
    for (const connection of all.keys()) connection.addTime(limits.sweepMs, limits);
    if (isClosing) closeIdle();
  }

  function closeIdle(): void { for (const connection of all.keys()) if (connection.state === 'idle') connection.cut(); }

  function endIfEmpty(): void {
    if (isListening || all.size > 0) return;
    clearInterval(timer);
    resolveEnded();
  }

  function remove(connection: Connection): void {
    all.get(connection)?.leaveAddress();
    all.delete(connection);
  }

  function stopListening(): void {
    isListening = false;
    listener.close();
    endIfEmpty();
  }

  return {
    /** Whether one more connection is accepted from this address. When all places are taken, one is closed for it, or it is not. */
    makeRoom: (clientAddress: string | undefined): boolean => {
      if (all.size < maxConnections) return true;
      const givenUp = addresses.giveUp(clientAddress);
      reportSafely(reports, ({ dropped }) => dropped(givenUp?.reason ?? 'full'));
      if (givenUp === undefined) return false;
      remove(givenUp.connection);
      givenUp.connection.cut();
      return true;
    },
    /** Keeps `connection` until `socket`, which carries it, has closed. */
    add: (connection: Connection, socket: Socket): void => {
      all.set(connection, { socket, leaveAddress: addresses.add(connection) });
      socket.once('close', () => { remove(connection); endIfEmpty(); });
    },
    /** Stops listening. */
    stopListening,
    /** Stops listening, closes idle connections, and resolves when the others have ended. */
    close: (): Promise<void> => {
      stopListening();
      for (const [connection, { socket }] of all) if (connection.state === 'idle' && socket.bytesRead > 0) connection.cut();
      // New ones later: a client that has just connected may have sent its request already.
      setTimeout(() => { isClosing = true; closeIdle(); }, limits.silentMs).unref();
      return ended;
    },
    /** Closes all connections at once, and returns on how many of them a reply had not left. */
    closeAll: (): number => Array.from(all.keys()).filter((connection) => connection.cut()).length,
  };
}
