// The connections of a server: how many there may be, how long each of them may take, and how all end.
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createBacklog } from './backlog.ts';
import { Connection } from './connection.ts';
import { cutOff } from './cut-off.ts';
import type { Reports } from './reports.ts';

export type ConnectionLimits = {
  /** Connections at once. */
  readonly maxConnections: number;
  /** Replies at once that wait for others on their connection. */
  readonly maxBacklog: number;
  /** How long a connection may be idle, in milliseconds. */
  readonly idleMs: number;
  /** How long a reply may wait for the client to read, in milliseconds. */
  readonly unreadMs: number;
  /** How long a client may go on sending after its last reply, in milliseconds. */
  readonly lingerMs: number;
  /** How often the times above are checked, in milliseconds. */
  readonly sweepMs: number;
  /** How long a connection that has received no byte is kept while the server closes, in milliseconds. */
  readonly silentMs: number;
};

export type Connections = {
  /** The connection behind a socket, when HTTP has begun on it and it is not over. */
  readonly of: (socket: Duplex) => Connection | undefined;
  /** Stops listening, and resolves when all connections have ended. */
  readonly stopListening: () => Promise<void>;
  /** Stops listening, closes idle connections, and resolves when the busy ones have ended. */
  readonly close: () => Promise<void>;
  /** Ends all connections at once, and returns how many there were. */
  readonly cut: () => number;
};

type Tracked = {
  readonly connection: Connection;
  // At the last sweep, and for how long they have been the same.
  bytesRead: number;
  bytesWritten: number;
  quietMs: number;
};

/** Keeps track of the connections of `server`, which is one of node:http or node:https. */
export function trackConnections(server: Server & { closeIdleConnections(): void }, limits: ConnectionLimits, reports: Reports): Connections {
  // TCP or Unix sockets, as accepted. With TLS, each of them carries a TLS socket.
  const sockets = new Set<Socket>();
  // Those that HTTP is spoken on, by their last activity: the one idle longest comes first.
  const tracked = new Map<Duplex, Tracked>();
  const cut = (socket: Socket) => cutOff(socket, tracked.keys());
  const backlog = createBacklog(limits.maxBacklog, (socket) => {
    cut(socket);
    tellDropped('unread');
  });
  let isClosing = false;

  function tellDropped(reason: 'idle' | 'full' | 'unread'): void {
    try {
      reports.dropped(reason);
    } catch (error) {
      reports.failed(error, '');
    }
  }

  server.on('connection', (socket: Socket) => {
    if (sockets.size >= limits.maxConnections && !makeRoom()) {
      socket.destroy();
      tellDropped('full');
      return;
    }
    sockets.add(socket);
    socket.on('error', () => {}); // with TLS, until the handshake is over
    socket.once('close', () => sockets.delete(socket));
  });

  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
    if (socket.destroyed) return;
    tracked.set(socket, { connection: new Connection(socket, backlog, cut), bytesRead: 0, bytesWritten: 0, quietMs: 0 });
    socket.once('close', () => tracked.delete(socket));
  });

  function makeRoom(): boolean {
    const idle = firstIdle();
    idle?.destroy();
    if (idle !== undefined) tellDropped('idle');
    return idle !== undefined;
  }

  function firstIdle(): Socket | undefined {
    for (const { connection } of tracked.values()) {
      if (connection.isOpen && !connection.isBusy && !connection.socket.destroyed) return connection.socket;
    }
    for (const socket of sockets) if (socket.bytesRead === 0 && !socket.destroyed) return socket; // with TLS: no handshake
    return undefined;
  }

  const sweep = setInterval(() => {
    for (const [socket, entry] of Array.from(tracked)) {
      entry.connection.forgetSentReplies();
      entry.quietMs += limits.sweepMs;
      if (hasMoved(entry)) {
        tracked.delete(socket);
        tracked.set(socket, entry);
      }
      if (entry.quietMs >= limitOf(entry.connection)) socket.destroy();
    }
    if (isClosing) closeIdle();
  }, limits.sweepMs).unref();

  // A connection is quiet while no byte comes, or while none leaves when a reply waits for that. When its last
  // reply is known it is quiet whatever comes.
  function hasMoved(entry: Tracked): boolean {
    const { bytesRead, bytesWritten, writableLength } = entry.connection.socket;
    const hasWritten = bytesWritten !== entry.bytesWritten;
    const hasRead = bytesRead !== entry.bytesRead && writableLength === 0 && !entry.connection.isEnding;
    entry.bytesRead = bytesRead;
    entry.bytesWritten = bytesWritten;
    if (hasWritten || hasRead) entry.quietMs = 0;
    return hasWritten || hasRead;
  }

  function limitOf(connection: Connection): number {
    if (connection.isLingering && connection.socket.writableLength === 0) return limits.lingerMs;
    if (connection.socket.writableLength > 0 || connection.isEnding) return limits.unreadMs;
    if (connection.isOpen && !connection.isBusy) return limits.idleMs;
    return Infinity; // a request arrives: node's own time-outs are for that
  }

  // Node calls a connection idle as well whose reply waits to be read, so it is asked only when there is none.
  function closeIdle(): void {
    const mayClose = Array.from(tracked.values()).every(({ connection }) => !connection.isEnding && !connection.hasWaitingReplies);
    if (mayClose) server.closeIdleConnections();
  }

  // Node does not call a connection idle that has received no byte.
  function closeSilent(): void {
    const all = [...sockets, ...Array.from(tracked.values(), ({ connection }) => connection.socket)];
    for (const socket of all) if (socket.bytesRead === 0) socket.destroy();
  }

  let ended: Promise<void> | undefined;

  function stopListening(): Promise<void> {
    ended ??= new Promise((resolve) => {
      closeListener(server, () => {
        clearInterval(sweep);
        server.close(); // no connection is left: this only stops node's own timer, which would keep the server in memory
        resolve();
      });
    });
    return ended;
  }

  return {
    of: (socket) => tracked.get(socket)?.connection,
    stopListening,
    close: () => {
      isClosing = true;
      closeIdle();
      // A moment first: a client that has just connected may have sent its request already.
      setTimeout(closeSilent, limits.silentMs).unref();
      return stopListening();
    },
    cut: () => {
      const count = sockets.size;
      for (const socket of sockets) socket.destroy();
      for (const socket of tracked.keys()) socket.destroy();
      return count;
    },
  };
}

// The `close` of node:http closes connections as well, those with a reply that waits to be read among them.
// It extends the one of node:net, which only stops listening.
function closeListener(server: Server, closed: () => void): void {
  process.getBuiltinModule('node:net').Server.prototype.close.call(server, closed);
}
