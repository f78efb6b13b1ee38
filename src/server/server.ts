// The server: what Node is told of it, and what it tells. See https://nodejs.org/api/http.html
import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { SecureContextOptions } from 'node:tls';
import { plainAddress } from '../http/forwarded.ts';
import { readHead, type HeadRules } from '../http/head.ts';
import { FIELD_LINES, statusOfError } from '../http/refusals.ts';
import { refusalText } from '../http/reply.ts';
import { attempt } from '../http/reports.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import { NODE_OPTIONS, type CreateHttpServer } from './http-server.ts';

const LATE_AT_ONCE = 5; // requests whose time limits have ended, in one iteration of the event loop

export type ServerSetup = ExchangeOptions & {
  readonly createHttpServer: CreateHttpServer;
  readonly headRules: HeadRules;
  readonly keepAliveTimeoutMs: number; // how long a connection may be idle
};

export type Server = ReturnType<typeof createServer>;
type ClientSocket = Duplex & { readonly remoteAddress?: string | undefined; readonly bytesRead?: number };

/** Makes a server, which does not listen yet. With `tls` (a certificate, a key and more) it serves HTTPS. */
export function createServer(options: ServerSetup, tls?: SecureContextOptions) {
  const { reports } = options;
  // The exchange in progress on each open connection; on a closed one, until its handler has ended. There is one at a
  // time: the next request comes when the response to the one before has closed. (Between requests it is undefined, not
  // removed: V8 would keep old tables of the map, 80 MiB more under load.)
  const current = new Map<Duplex, Exchange | undefined>();
  const inProgress = () => [...current.values()].filter((exchange) => exchange !== undefined);
  const progress = new EventEmitter(); // emits `over` when an exchange is over, or nobody waits for it any more

  const server = options.createHttpServer({
    ...NODE_OPTIONS,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    tls,
    dropped: reports.dropped,
    failed: reports.endedEarly,
    closing: (socket) => current.get(socket)?.abort('dropped'),
    halfClosed: (socket) => current.get(socket)?.abort('halfClosed'),
    swept: (ms) => void refuseLate(ms),
  });
  server.maxHeadersCount = FIELD_LINES + 1; // for head.ts: more would only take memory
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Duplex) => {
    current.set(socket, undefined);
    socket.on('close', () => {
      if (current.get(socket) === undefined) current.delete(socket);
    });
  });
  server.on('request', (incoming, response) => receive(incoming, response, false));
  server.on('checkContinue', (incoming, response) => receive(incoming, response, true));
  server.on('checkExpectation', (incoming, response) => receive(incoming, response, false));
  server.on('clientError', refuse);
  server.on('connect', (_incoming, socket) => { // nothing is tunnelled, and CONNECT gets no reply
    reports.endedEarly('connectMethod');
    socket.resume().end();
  });

  function receive(incoming: IncomingMessage, response: ServerResponse, isAwaited: boolean): void {
    const { socket } = incoming;
    const { request, check } = readHead(incoming, options.headRules);
    const exchange = new Exchange(response, request, options);
    current.set(socket, exchange);
    response.on('close', () => responseClosed(exchange, socket));
    exchange.start(isAwaited, check);
    incoming.rawHeaders = []; // Node has made `headers` of them, which take as much memory, and nobody reads them again
  }

  // If its handler goes on, that counts for its client.
  function responseClosed(exchange: Exchange, socket: Duplex): void {
    exchange.report();
    const running = exchange.handling?.state === 'running' ? exchange.handling : undefined;
    const release = running && server.leaveBehind(socket);
    function over(): void {
      release?.();
      if (socket.destroyed) current.delete(socket);
      else current.set(socket, undefined);
      progress.emit('over');
    }
    if (running === undefined) over();
    else running.whenEnded = over;
  }

  // Every `ms` milliseconds: that is how late the end of a time limit may be seen. A few are refused at once: for 900,
  // all others would wait for 50 to 340 ms.
  async function refuseLate(ms: number): Promise<void> {
    for (const [i, exchange] of inProgress().filter((one) => one.handling?.isTooSlow(ms)).entries()) {
      if (i > 0 && i % LATE_AT_ONCE === 0) await nextIteration();
      exchange.refuse('handlerTooSlow', 503, 'tooSlow'); // RFC 9110 15.6.4
    }
  }

  // Node's parser has refused what arrives, or it takes too long, or the connection has failed.
  function refuse({ code = '' }: NodeJS.ErrnoException, socket: ClientSocket): void {
    const exchange = current.get(socket);
    const status = statusOfError(code);
    if (socket.bytesRead === 0) socket.destroy(); // who has sent nothing gets nothing
    else if (exchange !== undefined) exchange.refuse(code, status); // its content is at fault
    else if (socket.writable) refuseHead(socket, code, status);
  }

  // For a head that it has refused, Node makes no response.
  function refuseHead(socket: ClientSocket, reason: string, status: number): void {
    const remoteAddress = plainAddress(socket.remoteAddress);
    socket.end(refusalText(status), (error?: Error | null) => attempt(() => {
      reports.endedEarly(reason);
      reports.requestOver(status);
      if (error) reports.endedEarly('replyNotTaken');
      reports.finished?.({ status, reason, remoteAddress, aborted: error ? true : undefined });
    }, reports));
  }

  return {
    httpServer: server,
    /** Stops listening, and closes idle connections. Resolves when all have ended, and all handlers. */
    async close(): Promise<void> {
      await new Promise((resolve) => { server.close(resolve); });
      while (inProgress().length > 0) await once(progress, 'over');
    },
    /** Stops listening, and closes all connections at once. Returns how many requests were in progress. */
    closeAll(): number {
      const cut = inProgress();
      for (const exchange of cut) exchange.abort('stopped');
      server.stopListening();
      server.closeAllConnections();
      current.clear(); // nobody waits for handlers that go on
      progress.emit('over');
      return cut.length;
    },
    /** How many handlers run. */
    handlers: () => inProgress().filter(({ handling }) => handling?.state === 'running').length,
  };
}
