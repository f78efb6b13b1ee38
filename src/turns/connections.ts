// What becomes of an accepted socket: there must be room, a balancer may say whose it is, TLS may begin, it is served.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers';
import type { SecureContextOptions } from 'node:tls';
import { readBeginning, type Connection } from './connection.ts';
import { createTls, shakeHands, watchKeyUpdates, type TlsOptions } from './handshake.ts';
import { readProxyHeader } from './proxy-header.ts';
import { createRoom, type Room } from './room.ts';
import type { Turns } from './turns.ts';
import { Valve } from './valve.ts';

const ARRIVAL_MS = 10_000; // how long it may take until it is served

export type ConnectionOptions = {
  readonly maxConnections?: number; // how many may be open at once: by default, 1,000
  readonly room?: Room | undefined; // in place of that, one that servers share
  readonly tls?: TlsOptions | undefined; // for HTTPS, over TCP only
  /** Whether connections from an address (undefined: a Unix socket) begin with a PROXY header. Others must not (2). */
  readonly isBalancer?: ((remoteAddress: string | undefined) => boolean) | undefined;
  readonly halfClosed?: (connection: Duplex) => void; // by default, Node closes the connection
  /** There was one too many, so one of a client that had so many was closed. */
  readonly dropped?: (reason: string, client: string | undefined, connections: number) => void;
  readonly failed?: (reason: string) => void; // a connection has ended early
  readonly closing?: (connection: Duplex) => void; // it is served, and about to be closed
};

/** The connections of `server`, which has `connection` for each, with its valve. */
export function createConnections(server: Server, options: ConnectionOptions, turns: Turns) {
  const { tls, isBalancer, halfClosed, dropped, failed, closing } = options;
  const room = options.room ?? createRoom(options.maxConnections);
  const connections = new Set<Connection>();
  const secure = tls && createTls(tls);

  function admit(connection: Connection): void {
    if (room.isFull(connection.client)) return drop(connection, 'newRefused');
    if (secure === undefined) return serve(connection, connection.socket);
    shakeHands(connection, secure.start, turns, (socket) => {
      if (socket === undefined) return fail(connection, 'tlsFailed');
      watchKeyUpdates(connection, socket, connections, (other) => fail(other, 'tlsOverhead'));
      setImmediate(serve, connection, socket); // later: a reset may come with the end of the handshake
    });
  }

  function serve(connection: Connection, socket: Socket): void {
    if (connection.socket.destroyed || socket.destroyed) return; // the other one closes, too
    if (isReset(socket)) return void socket.destroy(); // Node might never tell that writing a reply has failed
    const valve = new Valve(socket, connection, turns, halfClosed);
    connection.valve = valve;
    if (secure !== undefined) server.emit('secureConnection', valve); // as a server of node:https does
    if (!valve.destroyed) server.emit('connection', valve);
  }

  function remove(connection: Connection): void {
    connections.delete(connection);
    room.remove(connection);
  }

  function close(connection: Connection): void {
    remove(connection); // first, because why it closes has been told: it is no `tlsFailed`
    if (connection.valve !== undefined) closing?.(connection.valve);
    // So nothing of it passes any more. Node could crash if TLS ended in the same iteration as the socket below it.
    if (connection.socket.destroyed) setImmediate(() => connection.valve?.destroy());
    else connection.valve?.destroy();
    connection.socket.destroy();
  }

  function fail(connection: Connection, reason: string): void {
    failed?.(reason);
    close(connection);
  }

  function drop(connection: Connection, reason: string): void {
    dropped?.(reason, connection.client.name || undefined, connection.client.size);
    connection.close(); // it may be of another server
  }

  return {
    accept(socket: Socket): void {
      socket.on('error', () => {}); // without a listener, an error would end the process
      if (isReset(socket)) return void socket.destroy(); // nobody reads a reply
      const connection = room.add(socket, close);
      connections.add(connection);
      socket.on('close', () => {
        if (secure && !connection.valve && connections.has(connection)) failed?.('tlsFailed');
        remove(connection);
      });
      const excess = room.chooseVictim(connection);
      if (excess !== undefined) drop(excess.victim, excess.reason);
      if (socket.destroyed) return; // there was no room for it
      if (isBalancer?.(socket.remoteAddress) !== true) return admit(connection);
      readBeginning(socket, readProxyHeader, (header) => {
        if (header === undefined && socket.bytesRead === 0) return close(connection); // a check by TCP
        if (header === undefined) return fail(connection, 'proxyHeaderIllegal');
        connection.header = header;
        if (header.client !== undefined) room.move(connection, header.client.address);
        admit(connection);
      });
    },
    /** To be called every `ms` milliseconds: closes what takes too long. */
    sweep(ms: number): void {
      const latest = performance.now() - ARRIVAL_MS;
      for (const connection of connections) {
        const { valve, client, changedAt } = connection;
        client.keyUpdates = 0;
        valve?.sweep(ms);
        const isLate = valve === undefined && changedAt <= latest;
        if (isLate) fail(connection, secure === undefined ? 'proxyHeaderTooSlow' : 'handshakeTooSlow');
        else if (connection.isWasteful(ms)) fail(connection, 'tlsOverhead');
      }
    },
    /** Closes those on which nothing has been sent, or no request is in progress. */
    closeIdle(): void {
      for (const connection of connections) {
        const { valve, socket, header } = connection;
        if (valve === undefined && socket.bytesRead === (header?.length ?? 0)) close(connection);
        if (valve?.loss === 0 && !valve.writableEnded) valve.destroy(); // after a last reply, it closes by itself
      }
    },
    count: () => connections.size,
    closeAll: (): void => connections.forEach((connection) => close(connection)),
    /** The handler of a request goes on, although its response has closed. Returns what to call at its end. */
    leaveBehind: (valve: Duplex): (() => void) =>
      (valve instanceof Valve ? room.leaveBehind(valve.connection.client.name) : () => {}),
    setSecureContext: (context: SecureContextOptions): void => secure?.setSecureContext(context),
  };
}

// Whoever has reset a connection over TCP has no address any more. On a Unix socket, neither end ever has one.
const isReset = (socket: Socket) => socket.remoteAddress === undefined && socket.localAddress !== undefined;
