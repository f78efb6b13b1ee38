// The connections of a server: how many there may be, and how all of them are closed.
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createBacklog } from './backlog.ts';
import { Connection } from './connection.ts';
import { createCutOff } from './cut-off.ts';
import type { Limits } from './limits.ts';
import { OpenRecords, type Reports } from './reports.ts';
import { newEntry, startSweep, type Entry } from './time-limits.ts';

export type ConnectionOptions = {
  /** Connections at once. */
  readonly maxConnections: number;
  /** How long a connection may be idle, in milliseconds. */
  readonly keepAliveTimeoutMs: number;
  readonly reports: Reports;
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
    entries.set(socket, newEntry(connection, carrierOf(socket), limits));
    socket.once('close', () => entries.delete(socket));
  });

  // The TCP socket that carries a TLS socket. Node does not tell which one it is, but both have the same address and port of the
  // client. A Unix socket has no port, so its carrier is not found.
  function carrierOf(socket: Socket): Socket | undefined {
    const { remoteAddress, remotePort } = socket;
    if (!('encrypted' in socket) || remotePort === undefined) return undefined;
    return Array.from(sockets).find((carrier) => carrier.remotePort === remotePort && carrier.remoteAddress === remoteAddress);
  }

  // Whether a socket is to carry TLS, and its handshake has not begun. Without TLS, each socket has an entry.
  function hasNoHandshake(socket: Socket): boolean {
    return !entries.has(socket) && socket.bytesRead === 0;
  }

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
    for (const socket of sockets) if (hasNoHandshake(socket) && !socket.destroyed) return socket;
    return undefined;
  }

  const sweep = startSweep(entries, limits, keepAliveTimeoutMs, () => {
    if (isClosing) closeIdle();
  });

  // Node's `closeIdleConnections` also closes connections with unread replies. So it is called only when all replies on
  // all connections have left, and no connection is ending or lingering.
  function closeIdle(): void {
    const mayClose = Array.from(entries.values()).every(({ connection }) => !connection.isEnding && connection.socket.writableLength === 0);
    if (mayClose) server.closeIdleConnections();
  }

  // A connection that has received no byte is not idle for node.
  function closeSilent(): void {
    for (const { connection } of entries.values()) if (connection.isOpen && connection.socket.bytesRead === 0) connection.socket.destroy();
    for (const socket of sockets) if (hasNoHandshake(socket)) socket.destroy();
  }

  async function closeAndWait(): Promise<void> {
    // The `close` of node:http also closes connections, even when their replies are unread. The `close` of node:net stops
    // listening, and calls back when the last connection has ended. Until then, the time limits are needed.
    await new Promise((resolve) => process.getBuiltinModule('node:net').Server.prototype.close.call(server, resolve));
    clearInterval(sweep);
    server.close(); // no connection is left: this only stops a timer of node's, which would keep the server in memory
    // The event `close` of a socket completes the records of its requests. The last sockets emit it a little after the server.
    while (sockets.size > 0 || entries.size > 0) await new Promise((resolve) => setImmediate(resolve));
  }

  let ended: Promise<void> | undefined;
  const stopListening = () => (ended ??= closeAndWait()); // later calls return the promise of the first one

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
      // TLS sockets before the sockets that carry them: in the other order, node crashes when a TLS handshake is just ending.
      for (const socket of entries.keys()) socket.destroy();
      for (const socket of sockets) socket.destroy();
      return count;
    },
  };
}

export type Connections = ReturnType<typeof trackConnections>;
