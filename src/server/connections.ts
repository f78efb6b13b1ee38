// All connections of a server: how many there may be, how long each may last, and how they are closed.
import type { Server, Socket } from 'node:net';
import type { Connection } from './connection.ts';
import type { Limits } from './limits.ts';
import { reportSafely, type Reports } from './reports.ts';
import { chooseVictim, type Group } from './room.ts';

/** Keeps the connections that `listener` accepts, at most `maxConnections` at once. Checks their time limits from now on. */
export function createConnections(listener: Server, maxConnections: number, limits: Limits, reports: Reports) {
  const all = new Map<Connection, Group>();
  const groups = new Map<string, Group>(); // by client
  let attempts = 0; // to connect
  let isListening = true;
  let isClosing = false;
  let resolveEnded: () => void;
  const ended = new Promise<void>((resolve) => { resolveEnded = resolve; });

  const timer = setInterval(sweep, limits.sweepMs).unref();

  function sweep(): void {
    for (const connection of all.keys()) connection.addTime(limits.sweepMs);
    if (isClosing) closeIdle();
  }

  function closeIdle(): void { for (const connection of all.keys()) connection.closeIdle(); }

  function endIfEmpty(): void {
    if (isListening || all.size > 0) return;
    clearInterval(timer);
    resolveEnded();
  }

  function remove(connection: Connection): void {
    const group = all.get(connection);
    all.delete(connection);
    if (group === undefined) return;
    group.size -= 1;
    if (group.size === 0) groups.delete(connection.client);
  }

  function stopListening(): void {
    isListening = false;
    listener.close();
    endIfEmpty();
  }

  // Connections that wait in the kernel's queue would be reset. Node 24 accepts one in each turn, so after a turn with none it is empty.
  function stopWhenNoneWaits(before: number): void {
    const now = attempts;
    if (now === before) stopListening();
    else if (isListening) setImmediate(() => stopWhenNoneWaits(now));
  }

  return {
    /** Whether one more connection of this client is accepted. When all places are taken, one is closed for it, or it is not. */
    makeRoom: (client: string): boolean => {
      attempts += 1;
      if (all.size < maxConnections) return true;
      const victim = chooseVictim(all, groups.get(client));
      reportSafely(reports, ({ dropped }) => dropped(victim?.reason ?? 'newRefused'));
      if (victim === undefined) return false;
      remove(victim.connection);
      victim.connection.cut();
      return true;
    },
    /** Keeps `connection` until `socket`, which carries it, has closed. */
    add: (connection: Connection, socket: Socket): void => {
      const group = groups.get(connection.client) ?? { size: 0 };
      groups.set(connection.client, group);
      group.size += 1;
      all.set(connection, group);
      socket.once('close', () => { remove(connection); endIfEmpty(); });
    },
    /** Stops listening. */
    stopListening,
    /** Accepts what is waiting in the kernel's queue, and stops listening. Closes idle connections; resolves when the others have ended. */
    close: (): Promise<void> => {
      stopWhenNoneWaits(-1);
      for (const connection of all.keys()) if (!connection.isNew) connection.closeIdle();
      // New ones later: a client that has just connected may have sent its request already.
      setTimeout(() => { isClosing = true; stopListening(); closeIdle(); }, limits.silentMs).unref();
      return ended;
    },
    /** Closes all connections at once, and returns how many of them still owed a reply. */
    closeAll: (): number => Array.from(all.keys()).filter((connection) => connection.cut()).length,
  };
}
