// A listener whose clients take turns. It gives its connections to a server of `node:http` that never listens itself:
// to stop listening, Node closes idle connections, on which a request may be on its way, and ends its time limits.
import type http from 'node:http';
import net, { type Socket } from 'node:net';
import { setImmediate as iteration } from 'node:timers/promises';
import tls, { type SecureContextOptions, type TlsOptions, type TLSSocket } from 'node:tls';
import { newRefused, Room, type Connection, type DropReason } from './room.ts';
import { createTurns, type Turns } from './turns.ts';
import { Valve } from './valve.ts';

const SWEEP_MS = 1_000;
const LAST_ACCEPTS_MS = 250; // how long, at most, what waits in the kernel's queue is still accepted at the stop
const ON_ITS_WAY_MS = 250; // how long idle connections are kept after that: a request may be on its way
const GONE_MS = 30_000; // without turns: how long a client that has ended its side may take nothing of a reply

const processTurns = createTurns(); // of all servers, because they share the event loop

export type FairOptions = {
  readonly maxConnections: number; // how many may be open at once
  readonly isFair?: boolean; // if false, Node gets the sockets themselves, and clients take no turns
  readonly tls?: TlsOptions | undefined; // for HTTPS, over TCP only
  readonly dropped?: (reason: DropReason) => void; // there was one too many, so one was closed
  readonly turns?: Turns; // for tests, like the next one
  readonly sweepMs?: number;
};

/** Makes a listener that gives its connections to `server`, which must have been made with FairResponse. */
export function createFairServer(server: http.Server, options: FairOptions) {
  const { maxConnections, isFair = true, dropped, turns = processTurns, sweepMs = SWEEP_MS } = options;
  const room = new Room();
  const handshakes = new Map<string, Connection>(); // by the addresses of both ends
  let hasAccepted = false; // a connection, in this iteration
  let isClosing = false;

  const tlsServer = options.tls && tls.createServer(options.tls); // it does not listen, either
  const listener = net.createServer({ allowHalfOpen: tlsServer === undefined, noDelay: true });
  listener.on('connection', accept);
  tlsServer?.on('secureConnection', finishHandshake);
  tlsServer?.on('tlsClientError', (_, socket) => socket.destroy());
  server.emit('listening'); // at this event, Node begins to check its time limits
  const sweeper = setInterval(sweep, sweepMs).unref();
  listener.once('close', () => {
    clearInterval(sweeper);
    server.close();
  });

  function accept(socket: Socket): void {
    hasAccepted = true;
    turns.endAfterOne(); // one connection is accepted in each iteration of the event loop, and others may wait
    if (isReset(socket)) socket.destroy(); // by a client that did not wait: nobody reads a reply
    else if (tlsServer === undefined) serve(socket);
    else startHandshake(socket);
  }

  function startHandshake(socket: Socket): void {
    const ends = endsOf(socket);
    socket.on('error', () => {}); // without a listener, an error would end the process
    handshakes.set(ends, admit(socket));
    socket.on('close', () => {
      if (handshakes.get(ends)?.socket === socket) handshakes.delete(ends); // the next client may have the same ends
    });
    if (!socket.destroyed) tlsServer?.emit('connection', socket); // https://nodejs.org/api/tls.html#event-connection
  }

  function finishHandshake(socket: TLSSocket): void {
    const inHandshake = handshakes.get(endsOf(socket));
    if (inHandshake !== undefined) room.remove(inHandshake);
    if (isReset(socket)) socket.destroy(); // Node might never tell that writing a reply has failed
    else serve(socket);
  }

  function serve(socket: Socket): void {
    const connection = admit(socket);
    if (socket.destroyed) return; // there is no room
    if (isFair) connection.valve = new Valve(socket, connection.client, turns);
    else socket.on('end', () => socket.setTimeout(GONE_MS)); // over TLS, Node may not notice that it is gone
    server.emit('connection', connection.valve ?? socket);
  }

  function admit(socket: Socket): Connection {
    const connection = room.add(socket);
    if (room.connections.size > maxConnections) makeRoom(connection);
    return connection;
  }

  function makeRoom(newest: Connection): void {
    const { connection, reason } = isFair ? room.chooseVictim(newest) : newRefused(newest);
    dropped?.(reason);
    room.remove(connection);
    connection.socket.destroy();
  }

  function sweep(): void {
    for (const { valve } of room.connections) valve?.sweep(sweepMs);
    if (isClosing) closeIdle();
  }

  function closeIdle(): void {
    let isSending = false; // a reply that Node has written, so that the connection is idle for Node
    for (const { valve, socket } of room.connections) {
      if (socket.writableLength > 0) isSending = true;
      if (valve === undefined && socket.bytesRead === 0) socket.destroy(); // it has sent nothing
      if (valve?.isIdle === true && !valve.writableEnded) valve.destroy(); // after the last reply, it lingers
    }
    if (!isFair && !isSending) server.closeIdleConnections();
  }

  return {
    listener,
    tlsServer, // for its events, such as `tlsClientError`
    /** Stops listening at once: what waits in the kernel's queue is reset, or left to others who have the socket. */
    stopListening(): void {
      listener.close();
    },
    /** Accepts what waits in the kernel's queue, stops listening, and closes idle connections. Resolves at the end. */
    async close(): Promise<void> {
      const closed = new Promise((resolve) => listener.once('close', resolve));
      const end = performance.now() + LAST_ACCEPTS_MS;
      await iteration(); // the current one may be past accepting
      do {
        hasAccepted = false;
        await iteration();
      } while (hasAccepted && performance.now() < end);
      listener.close();
      setTimeout(() => {
        isClosing = true;
        closeIdle();
      }, ON_ITS_WAY_MS);
      await closed;
    },
    /** Stops listening, and closes all connections at once. */
    closeAll(): void {
      listener.close();
      for (const { socket } of room.connections) socket.destroy();
    },
    /** New connections get this certificate and key. */
    setSecureContext: (context: SecureContextOptions): void => tlsServer?.setSecureContext(context),
  };
}

// Whoever has reset a connection has no address any more. On a Unix socket, neither end ever has one.
function isReset(socket: Socket): boolean {
  return socket.remoteAddress === undefined && socket.localAddress !== undefined;
}

// A connection over TLS has two sockets. The same addresses tell that they belong together.
function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
