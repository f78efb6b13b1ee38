// The server: what Node is told of it, and what it tells. See https://nodejs.org/api/http.html
import http, { ServerResponse, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import { HEAD_BYTES, TIME_LIMITS } from './http/limits.ts';
import { statusOfError } from './http/refusals.ts';
import { refusalText } from './http/reply.ts';
import { accessRecord } from './http/reports.ts';
import { plainAddress } from './turns/client.ts';
import { FairResponse } from './turns/fair-response.ts';
import { createFairServer } from './turns/fair-server.ts';
import { LINGER_MS } from './turns/socket-stream.ts';

export type ServerOptions = ExchangeOptions & {
  readonly maxConnections: number; // how many may be open at once
  readonly keepAliveTimeoutMs: number; // how long a connection may be idle
  readonly timeLimits?: Partial<typeof TIME_LIMITS>; // for tests
};

type Connection = {
  newest: Exchange | undefined; // while it is not answered, or if it is the last
  readonly open: Set<Exchange>; // its requests that are not over
};

type ClientSocket = Duplex & { readonly remoteAddress?: string | undefined; readonly bytesRead?: number };

export type Server = ReturnType<typeof createServer>;

/** Makes a server, which does not listen yet. With `tls` (a certificate, a key and more) it serves HTTPS. */
export function createServer(options: ServerOptions, tls?: SecureContextOptions) {
  const { reports } = options;
  const { handshakeTimeout, ...timeLimits } = { ...TIME_LIMITS, ...options.timeLimits };
  const connections = new WeakMap<Duplex, Connection>();
  let requestsInProgress = 0;

  const server = http.createServer({
    ...timeLimits,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    maxHeaderSize: HEAD_BYTES,
    insecureHTTPParser: false, // whatever flags Node was started with
    requireHostHeader: false, // `checkHead` requires it, and the log says so
    joinDuplicateHeaders: true, // two lines of Host become one value with a comma, which `checkHead` refuses
    ServerResponse: options.isFair ? FairResponse : ServerResponse,
  });
  server.on('request', (incoming, response) => receive(incoming, response, false));
  server.on('checkContinue', (incoming, response) => receive(incoming, response, true));
  server.on('checkExpectation', (incoming, response) => receive(incoming, response, false));
  server.on('clientError', fail);
  server.on('connect', (_incoming, socket) => refuseConnect(socket));
  const fairServer = createFairServer(server, {
    maxConnections: options.maxConnections,
    isFair: options.isFair,
    dropped: reports.dropped,
    tls: tls && { ...tls, handshakeTimeout, ALPNProtocols: ['http/1.1'] }, // RFC 7301: refuses who speaks only HTTP/2
  });
  fairServer.tlsServer?.on('tlsClientError', ({ code }: NodeJS.ErrnoException) =>
    reports.ended(code === 'ERR_TLS_HANDSHAKE_TIMEOUT' ? 'handshakeTooSlow' : 'tlsFailed'));

  function receive(incoming: IncomingMessage, response: ServerResponse, isAwaited: boolean): void {
    const { socket } = incoming;
    const connection = connections.get(socket) ?? remember(socket);
    if (connection.newest?.isLast === true) return; // what follows a last reply gets none
    const exchange = new Exchange(incoming, response, options);
    if (connection.newest !== undefined) connection.newest.isFollowed = true;
    requestsInProgress += 1;
    connection.newest = exchange;
    connection.open.add(exchange);
    response.on('close', () => finish(exchange, connection, socket));
    exchange.start(isAwaited);
  }

  // Its response has closed, or its connection: whichever comes first.
  function finish(exchange: Exchange, connection: Connection, socket: Duplex): void {
    if (connection.open.delete(exchange)) {
      const isAborted = socket.destroyed && exchange.takenAt === undefined; // before the kernel had all of the reply
      requestsInProgress -= 1;
      if (connection.newest === exchange && !exchange.isLast) connection.newest = undefined;
      if (isAborted) reports.ended('replyNotTaken');
      reports.finished?.(exchange.record(isAborted));
    }
  }

  function remember(socket: Duplex): Connection {
    const connection: Connection = { newest: undefined, open: new Set() };
    connections.set(socket, connection);
    socket.on('close', () => { // without turns, Node does not always close the responses that wait
      for (const exchange of connection.open) finish(exchange, connection, socket);
    });
    return connection;
  }

  // Node's parser has refused what arrives, or it takes too long, or the connection has failed.
  function fail({ code = '' }: NodeJS.ErrnoException, socket: ClientSocket): void {
    const exchange = connections.get(socket)?.newest;
    const status = statusOfError(code);
    if (status === undefined) socket.destroy();
    else if (exchange === undefined) refuseHead(socket, code, status);
    else if (exchange.hasArrived) refuseNext(exchange, socket, code, status);
    else exchange.refuse(code, status); // its content is at fault
  }

  // Without turns, Node reads on before a reply is sent, and reports a fault again with each later read.
  function refuseNext(exchange: Exchange, socket: ClientSocket, reason: string, status: number): void {
    if (exchange.isLast || exchange.isBeforeFault) return;
    exchange.isBeforeFault = true;
    exchange.response.once('close', () => refuseHead(socket, reason, status));
  }

  // Nothing is tunnelled, and CONNECT gets no reply. Without turns, Node reads it before what precedes it is answered.
  function refuseConnect(socket: Duplex): void {
    const response = connections.get(socket)?.newest?.response;
    reports.ended('connectMethod');
    socket.on('error', () => {}); // without a listener, an error would end the process, and Node has taken its own away
    const end = () => closeLater(socket.resume().end());
    if (response === undefined) end();
    else response.once('close', end);
  }

  // Closed at once, the connection would be reset if more arrives, and the client may lose a reply (RFC 9112 9.6).
  function closeLater(socket: Duplex): void {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
  }

  // For a head that it has refused, Node makes no response.
  function refuseHead(socket: ClientSocket, reason: string, status: number): void {
    if (socket.bytesRead === 0) socket.destroy(); // a client that has sent nothing gets nothing
    if (!socket.writable) return; // as after `destroy`
    const remoteAddress = plainAddress(socket.remoteAddress);
    reports.refused(reason);
    socket.end(refusalText(status), (error?: Error | null) => {
      const isAborted = error instanceof Error;
      if (isAborted) reports.ended('replyNotTaken');
      reports.finished?.(accessRecord({ status, reason, remoteAddress, isAborted }));
    });
    closeLater(socket);
  }

  return {
    ...fairServer, // listener, tlsServer, stopListening, close, setSecureContext; and in place of its closeAll:
    /** Stops listening, and closes all connections now. Returns how many requests were still open. */
    closeAll(): number {
      const count = requestsInProgress;
      fairServer.closeAll();
      return count;
    },
  };
}
