// The server: what Node is told of it, and what it tells. See https://nodejs.org/api/http.html
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import { plainAddress } from './http/address.ts';
import { checkHead, type HeadRules } from './http/head.ts';
import { FIELD_LINES, HEAD_BYTES, TIME_LIMITS } from './http/limits.ts';
import { REFUSALS, statusOfError } from './http/refusals.ts';
import { refusalText } from './http/reply.ts';
import { clientOf } from './turns/client.ts';
import { createFairServer } from './turns/fair-server.ts';
import { Room } from './turns/room.ts';

export type ServerOptions = Omit<ExchangeOptions, 'clientOf'> & {
  readonly headRules: HeadRules;
  readonly room: Room; // for the connections of this server, and of others
  readonly proxies?: BlockList | undefined; // load balancers that send the PROXY protocol
  readonly keepAliveTimeoutMs: number; // how long a connection may be idle
  readonly timeLimits?: Partial<typeof TIME_LIMITS>; // for tests
};

const SWEEP_MS = 1_000;

type ClientSocket = Duplex & { readonly remoteAddress?: string | undefined; readonly bytesRead?: number };

/** A room for so many open connections, which servers share. */
export const createRoom = (maxConnections: number): Room => new Room(maxConnections);

export type Server = ReturnType<typeof createServer>;

/** Makes a server, which does not listen yet. With `tls` (a certificate, a key and more) it serves HTTPS. */
export function createServer(options: ServerOptions, tls?: SecureContextOptions) {
  const { reports } = options;
  const ofExchanges = { ...options, clientOf };
  // The exchange in progress on each open connection that has had one. (If they were removed, instead of replaced, V8
  // would keep old tables of the map for long: 80 MiB more under load.)
  const current = new Map<Duplex, Exchange | undefined>();
  const leftBehind = new Set<Exchange>(); // their connections have closed, but their handlers go on
  let inProgress = 0; // requests whose responses have not closed, or whose handlers go on
  let isCut = false; // nobody waits for them any more
  const waiting: (() => void)[] = []; // to be called then, or when there is none

  const server = createFairServer({
    ...TIME_LIMITS,
    ...options.timeLimits,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    maxHeaderSize: HEAD_BYTES,
    insecureHTTPParser: false, // whatever flags Node was started with
    requireHostHeader: false, // `checkHead` requires it, and the log says so
    joinDuplicateHeaders: true, // two lines of Host become one value with a comma, which `checkHead` refuses
    room: options.room,
    tls,
    proxies: options.proxies,
    dropped: reports.dropped,
    failed: reports.ended,
    closing: (socket) => current.get(socket)?.abort('dropped'),
    halfClosed: (socket) => current.get(socket)?.abort('halfClosed'),
  });
  server.maxHeadersCount = FIELD_LINES + 1; // for `checkHead`: more would only take memory
  let sweeper: NodeJS.Timeout | undefined;
  server.on('listening', () => {
    sweeper = setInterval(() => current.forEach((exchange) => exchange?.sweep(SWEEP_MS)), SWEEP_MS).unref();
  });
  server.on('close', () => clearInterval(sweeper));
  server.on('request', (incoming, response) => receive(incoming, response, false));
  server.on('checkContinue', (incoming, response) => receive(incoming, response, true));
  server.on('checkExpectation', (incoming, response) => receive(incoming, response, false));
  server.on('clientError', fail);
  server.on('connect', (_incoming, socket) => { // nothing is tunnelled, and CONNECT gets no reply
    reports.ended('connectMethod');
    socket.resume().end();
  });

  function receive(incoming: IncomingMessage, response: ServerResponse, isAwaited: boolean): void {
    const { socket } = incoming;
    const { request, reason } = checkHead(incoming, options.headRules);
    incoming.rawHeaders = []; // nobody reads them any more, and they take as much memory as `headers`
    const exchange = new Exchange(incoming, response, request, ofExchanges);
    if (!current.has(socket)) forgetAtEnd(socket);
    current.set(socket, exchange);
    inProgress += 1;
    response.on('close', () => finish(exchange, socket));
    if (reason === undefined) exchange.start(isAwaited);
    else exchange.refuse(reason, REFUSALS[reason]);
  }

  // A function of its own, because a closure made in `receive` would keep the first request in memory.
  function forgetAtEnd(socket: Duplex): void {
    socket.on('close', () => current.delete(socket));
  }

  // The response has closed. If its handler goes on, the client has gone, and that counts for it.
  function finish(exchange: Exchange, socket: Duplex): void {
    exchange.report();
    if (current.has(socket)) current.set(socket, undefined);
    if (!exchange.isHandled) return ended();
    const release = server.leaveBehind(socket);
    leftBehind.add(exchange);
    exchange.handled = () => {
      release();
      leftBehind.delete(exchange);
      ended();
    };
  }

  function ended(): void {
    inProgress -= 1;
    if (inProgress === 0) allOver();
  }

  function allOver(): void {
    for (const resolve of waiting.splice(0)) resolve();
  }

  // Node's parser has refused what arrives, or it takes too long, or the connection has failed.
  function fail({ code = '' }: NodeJS.ErrnoException, socket: ClientSocket): void {
    const exchange = current.get(socket);
    const status = statusOfError(code);
    if (status === undefined) socket.destroy();
    else if (exchange === undefined) refuseHead(socket, code, status);
    else exchange.refuse(code, status); // its content is at fault
  }

  // For a head that it has refused, Node makes no response.
  function refuseHead(socket: ClientSocket, reason: string, status: number): void {
    if (socket.bytesRead === 0) socket.destroy(); // a client that has sent nothing gets nothing
    if (!socket.writable) return; // as after `destroy`
    const remoteAddress = plainAddress(socket.remoteAddress);
    reports.refused(reason);
    reports.answered(status);
    socket.end(refusalText(status), (error?: Error | null) => {
      const isAborted = error instanceof Error;
      if (isAborted) reports.ended('replyNotTaken');
      reports.finished?.({ status, reason, remoteAddress, aborted: isAborted || undefined });
    });
  }

  return {
    listener: server,
    /** Stops listening at once: what waits in the kernel's queue is reset, or left to others who have the socket. */
    stopListening: () => server.stopListening(),
    /** Stops listening, and closes idle connections. Resolves when all have ended, and all handlers. */
    async close(): Promise<void> {
      await new Promise((resolve) => { server.close(resolve); });
      if (inProgress > 0 && !isCut) await new Promise<void>((resolve) => { waiting.push(resolve); });
    },
    /** Stops listening, and closes all connections at once. Returns how many requests were in progress. */
    closeAll(): number {
      const count = inProgress;
      for (const exchange of [...current.values(), ...leftBehind]) exchange?.abort('stopped');
      server.stopListening();
      server.closeAllConnections();
      isCut = true;
      allOver();
      return count;
    },
    openConnections: () => server.openConnections(),
    handlers: () => [...current.values(), ...leftBehind].filter((exchange) => exchange?.isHandled).length, // that run
    /** The longest wait for a turn in ms, on all servers, since it was last asked for. */
    longestTurnWait: () => server.longestTurnWait(),
    /** New connections get this certificate and key. */
    setSecureContext: (context: SecureContextOptions): void => server.setSecureContext(context),
  };
}
