// What becomes of an accepted socket: there must be room for it; a load balancer may say whose it is; there may be a
// TLS handshake; then it is served by way of a valve.
import type { Server } from 'node:http';
import type { BlockList, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import type { Connection, TooSlow } from './client.ts';
import type { HalfClosed } from './ending-stream.ts';
import { createTls, Overhead, type TlsOptions } from './handshake.ts';
import { isListed } from './proxy-header.ts';
import { readHeaderOf } from './proxy-reader.ts';
import { Room, type DropReason } from './room.ts';
import type { Turns } from './turns.ts';
import { Valve } from './valve.ts';

const ARRIVAL_MS = 10_000; // how long it may take until it is served

/** Why a connection has ended early. */
export type FailReason = TooSlow | 'tlsFailed' | 'tlsOverhead' | 'proxyHeaderIllegal';

export type ConnectionOptions = {
  readonly maxConnections: number; // how many may be open at once
  readonly tls?: TlsOptions | undefined; // for HTTPS, over TCP only
  readonly proxies?: BlockList | undefined; // load balancers whose connections begin with a header (PROXY protocol)
  readonly halfClosed?: HalfClosed; // by default, Node closes the connection
  readonly dropped?: (reason: DropReason, connection?: Duplex) => void; // there was one too many, so one was closed
  readonly failed?: (reason: FailReason, connection?: Duplex) => void; // it is about to be closed
};

/** The connections of `server`, which has `connection` for each, with its valve. */
export function createConnections(server: Server, options: ConnectionOptions, turns: Turns) {
  const { tls, proxies, halfClosed, dropped, failed } = options;
  const secure = tls && createTls(tls);
  const room = new Room(options.maxConnections);

  function readHeader(connection: Connection): void {
    const { socket } = connection;
    connection.awaited = 'proxyHeaderTooSlow';
    readHeaderOf(socket, (header) => {
      connection.awaited = undefined;
      if (header === undefined) return fail(connection, 'proxyHeaderIllegal');
      connection.headerBytes = header.length;
      if (header.client !== undefined) room.move(connection, header.client);
      admit(connection);
      if (secure === undefined) socket.resume(); // TLS takes what waits in it by itself
    });
  }

  function admit(connection: Connection): void {
    if (secure === undefined) serve(connection, connection.socket);
    else waitForHello(connection, secure.start);
  }

  // A handshake takes more than 0.5 ms of CPU time, so it starts in a turn.
  function waitForHello(connection: Connection, startTls: (socket: Socket) => Socket): void {
    const { socket, client: { short } } = connection;
    const waiting = {
      takeTurn(): void {
        if (!socket.destroyed) shakeHands(connection, startTls(socket)); // TLS takes what waits in the socket
      },
    };
    connection.awaited = 'handshakeTooSlow';
    connection.overhead = new Overhead();
    socket.once('readable', () => turns.wait(short, waiting));
    socket.on('close', () => {
      short.delete(waiting);
      if (connection.awaited !== undefined) failed?.('tlsFailed');
    });
  }

  function shakeHands(connection: Connection, socket: Socket): void {
    turns.endAfterOne();
    socket.on('error', () => {}); // `close` follows
    socket.once('secure', () => {
      connection.awaited = undefined;
      server.emit('secureConnection', socket); // as a server of node:https does
      if (connection.socket.destroyed) return; // by a listener; Node would crash if `socket` was destroyed here, too
      if (isReset(socket)) socket.destroy(); // Node might never tell that writing a reply has failed
      else serve(connection, socket);
    });
  }

  function serve(connection: Connection, socket: Socket): void {
    const valve = new Valve(socket, connection, turns, halfClosed);
    const { address, port } = connection.named ?? {};
    if (address !== undefined) {
      Object.defineProperties(valve, { remoteAddress: { value: address }, remotePort: { value: port } });
    }
    connection.valve = valve;
    server.emit('connection', valve);
  }

  function close(connection: Connection): void {
    connection.awaited = undefined;
    room.remove(connection);
    connection.valve?.destroy(); // so nothing of it passes any more
    connection.socket.destroy();
  }

  function fail(connection: Connection, reason: FailReason): void {
    failed?.(reason, connection.valve);
    close(connection);
  }

  return {
    accept(socket: Socket): void {
      socket.on('error', () => {}); // without a listener, an error would end the process
      if (isReset(socket)) { // by a client that did not wait: nobody reads a reply
        socket.destroy();
        return;
      }
      const connection = room.add(socket);
      const victim = room.chooseVictim(connection);
      if (victim !== undefined) {
        dropped?.(victim.reason, victim.connection.valve);
        close(victim.connection);
      }
      if (socket.destroyed) return; // there is none
      if (isListed(proxies, socket.remoteAddress)) readHeader(connection);
      else admit(connection);
    },
    /** To be called every `ms` milliseconds: closes what takes too long. */
    sweep(ms: number): void {
      const latest = performance.now() - ARRIVAL_MS;
      for (const connection of room.connections) {
        const { awaited, acceptedAt, socket, overhead, valve } = connection;
        valve?.sweep(ms);
        if (awaited !== undefined && acceptedAt <= latest) fail(connection, awaited);
        else if (overhead?.isTooMuch(ms, socket.bytesRead, valve?.bytesRead) === true) fail(connection, 'tlsOverhead');
      }
    },
    /** Closes those on which nothing has been sent, or no request is in progress. */
    closeIdle(): void {
      for (const connection of room.connections) {
        const { valve, socket } = connection;
        if (valve === undefined && socket.bytesRead === connection.headerBytes) close(connection);
        if (valve?.isIdle === true && !valve.writableEnded) valve.destroy(); // after a last reply, it closes by itself
      }
    },
    closeAll(): void {
      for (const connection of room.connections) close(connection);
    },
    /** The handler of a request goes on, although its connection has closed. Returns what to call at its end. */
    leaveBehind: (connection: Duplex): (() => void) =>
      (connection instanceof Valve ? connection.client.leaveBehind() : () => {}),
    /** New connections get this certificate and key. */
    setSecureContext: (context: SecureContextOptions): void => secure?.setSecureContext(context),
  };
}

// Whoever has reset a connection has no address any more. On a Unix socket, neither end ever has one.
function isReset(socket: Socket): boolean {
  return socket.remoteAddress === undefined && socket.localAddress !== undefined;
}
