// The connections of a server: how many there may be, how long each of them may take, and how all end.
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createBacklog } from './backlog.ts';
import { Connection } from './connection.ts';
import { createCutOff } from './cut-off.ts';
import type { Limits } from './limits.ts';
import { OpenRecords, type Reports } from './reports.ts';

export type ConnectionOptions = {
  /** Connections at once. */
  readonly maxConnections: number;
  /** How long a connection may be idle, in milliseconds. */
  readonly keepAliveTimeoutMs: number;
  readonly reports: Reports;
};

/** A connection, and what the last sweep has seen of it. */
type Entry = {
  readonly connection: Connection;
  bytesRead: number;
  bytesWritten: number;
  /** For how long it has not been active, in milliseconds. */
  inactiveMs: number;
};

/** Keeps track of the connections of `server`, which is one of node:http or node:https. */
export function trackConnections(server: Server & { closeIdleConnections(): void }, limits: Limits, options: ConnectionOptions) {
  const { maxConnections, keepAliveTimeoutMs, reports } = options;
  // TCP or Unix sockets, as accepted. With TLS, each of them carries a TLS socket.
  const sockets = new Set<Socket>();
  // The keys are the sockets that carry HTTP. The connection that was active the longest ago comes first.
  const entries = new Map<Duplex, Entry>();
  const cutOff = createCutOff(limits.maxKeptRequests, () => entries.keys());
  const queued = createBacklog(limits.maxBacklog, cutOffGreatest);
  const ignored = createBacklog(limits.maxBacklog, cutOffGreatest);
  let isClosing = false;

  function cutOffGreatest(socket: Socket, count: number): void {
    cutOff.cutOff(socket, count);
    reportDropped('backlog');
  }

  function reportDropped(reason: 'idle' | 'full' | 'backlog'): void {
    try {
      reports.dropped(reason);
    } catch (error) {
      reports.failed(error, '');
    }
  }

  server.on('connection', (socket: Socket) => {
    if (sockets.size >= maxConnections && !makeRoom()) {
      socket.destroy();
      reportDropped('full');
      return;
    }
    sockets.add(socket);
    socket.on('error', () => {}); // with TLS, until the handshake is over
    socket.once('close', () => sockets.delete(socket));
  });

  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
    if (socket.destroyed) return;
    const records = reports.finished && new OpenRecords(socket, reports);
    const connection = new Connection(socket, records, queued, ignored, cutOff);
    // `inactiveMs` is negative, so that a sweep right after this counts nothing.
    entries.set(socket, { connection, bytesRead: 0, bytesWritten: 0, inactiveMs: -limits.sweepMs });
    socket.once('close', () => entries.delete(socket));
  });

  function makeRoom(): boolean {
    const idle = firstIdle();
    idle?.destroy();
    if (idle !== undefined) reportDropped('idle');
    return idle !== undefined;
  }

  function firstIdle(): Socket | undefined {
    for (const { connection } of entries.values()) {
      if (connection.isOpen && !connection.isBusy && !connection.socket.destroyed) return connection.socket;
    }
    for (const socket of sockets) if (socket.bytesRead === 0 && !socket.destroyed) return socket; // with TLS: no handshake
    return undefined;
  }

  const sweep = setInterval(() => {
    for (const [socket, entry] of Array.from(entries)) {
      entry.connection.forgetRepliesThatLeft();
      entry.inactiveMs += limits.sweepMs;
      if (hasBeenActive(entry)) {
        entries.delete(socket);
        entries.set(socket, entry);
      }
      if (entry.inactiveMs >= limitOf(entry.connection)) socket.destroy();
    }
    if (isClosing) closeIdle();
  }, limits.sweepMs).unref();

  // A connection is active when bytes have been written or received. While a reply is unread, and when
  // the last reply is known, only written bytes count: a client cannot hold a connection by sending.
  function hasBeenActive(entry: Entry): boolean {
    const { bytesRead, bytesWritten, writableLength } = entry.connection.socket;
    const hasWritten = bytesWritten !== entry.bytesWritten;
    const hasRead = bytesRead !== entry.bytesRead && writableLength === 0 && !entry.connection.isEnding;
    entry.bytesRead = bytesRead;
    entry.bytesWritten = bytesWritten;
    if (hasWritten || hasRead) entry.inactiveMs = 0;
    return hasWritten || hasRead;
  }

  function limitOf(connection: Connection): number {
    if (connection.isLingering && connection.socket.writableLength === 0) return limits.lingerMs;
    if (connection.socket.writableLength > 0 || connection.isEnding) return limits.unreadMs;
    if (!connection.isBusy) return keepAliveTimeoutMs;
    return Infinity; // a request is arriving: node's own time-outs end that
  }

  // Node's `closeIdleConnections` also closes connections whose replies are unread, so it is called only when all
  // replies have left, and no connection is ending or lingering.
  function closeIdle(): void {
    const mayClose = Array.from(entries.values()).every(({ connection }) => !connection.isEnding && connection.socket.writableLength === 0);
    if (mayClose) server.closeIdleConnections();
  }

  // A connection that has received no byte is not idle for node.
  function closeSilent(): void {
    const all = [...sockets, ...Array.from(entries.values(), ({ connection }) => connection.socket)];
    for (const socket of all) if (socket.bytesRead === 0) socket.destroy();
  }

  async function closeAndWait(): Promise<void> {
    // The `close` of node:http also closes connections, even when their replies are unread. The `close` of node:net only
    // stops listening.
    await new Promise((resolve) => process.getBuiltinModule('node:net').Server.prototype.close.call(server, resolve));
    clearInterval(sweep);
    server.close(); // no connection is left: this only stops a timer of node's, which would keep the server in memory
    // A server has closed before its last sockets emit `close`, which completes the records of their requests.
    while (sockets.size > 0 || entries.size > 0) await new Promise((resolve) => setImmediate(resolve));
  }

  let ended: Promise<void> | undefined;
  const stopListening = () => (ended ??= closeAndWait()); // later calls wait for the end that the first one has begun

  return {
    /** The connection of a socket, unless it has closed or its TLS handshake is not over. */
    of: (socket: Duplex) => entries.get(socket)?.connection,
    /** Stops listening, and resolves when all connections have ended. */
    stopListening,
    /** Stops listening, closes idle connections, and resolves when the busy ones have ended. */
    close: () => {
      isClosing = true;
      closeIdle();
      // Not at once: a client that has just connected may have sent its request already.
      setTimeout(closeSilent, limits.silentMs).unref();
      return stopListening();
    },
    /** Ends all connections at once, and returns how many there were. */
    closeAll: () => {
      const count = sockets.size;
      for (const socket of sockets) socket.destroy();
      for (const socket of entries.keys()) socket.destroy();
      return count;
    },
  };
}

export type Connections = ReturnType<typeof trackConnections>;
