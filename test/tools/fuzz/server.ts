// The service of a round, whose handlers do what the plan says, and servers whose listeners take connections over.
import { once, setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { SecureContextOptions } from 'node:tls';
import { contentReply, emptyReply, type Reply } from '../../../src/http/reply.ts';
import type { AccessRecord } from '../../../src/http/reports.ts';
import type { HttpRequest } from '../../../src/http/request.ts';
import type { Route } from '../../../src/http/router.ts';
import { createSeats } from '../../../src/http/seats.ts';
import type { HttpServerOptions } from '../../../src/server/http-server.ts';
import { createServer, type ServerSetup } from '../../../src/server/server.ts';
import { clientOf, createFairServer, createRoom, type FairOptions } from '../../../src/turns/fair-server.ts';
import { temporaryFolder } from '../../support/certificates.ts';
import { listenOnPort } from '../../support/sockets.ts';
import { replyTo } from './bytes.ts';
import { isBalancer, isTrustedProxy, LIMIT_MS, OVER, type RequestPlan, type RoundPlan } from './generate.ts';

const FOLDER = temporaryFolder(); // of Unix sockets

/** What is seen of a request: how often its handler is called, what aborts that, and its records. */
export type Seen = {
  readonly plan: RequestPlan; calls: number; isRunning: boolean;
  readonly aborts: string[]; readonly records: AccessRecord[];
};

/** Starts it. `touch` is called when something happens. */
export async function startService(plan: RoundPlan, tls: SecureContextOptions, touch: () => void) {
  const seen = new Map(plan.connections.flatMap(({ requests }) => requests)
    .map((one): [string, Seen] => [`/${one.id}`, { plan: one, calls: 0, isRunning: false, aborts: [], records: [] }]));
  const [faults, ends]: [string[], string[]] = [[], []]; // `ends`: why connections have ended
  const objects: WeakRef<object>[] = []; // that nobody must remember
  const state = { isStopping: false, isCut: false };
  const end = new AbortController(); // of the round
  setMaxListeners(0, end.signal);
  const seats = createSeats(plan.seats);
  let seated = 0;

  function handle(one: Seen, request: HttpRequest): Reply | Promise<Reply> {
    const { id, handler, hasSeat, ms, throws } = one.plan;
    const { content, remoteAddress, signal } = request;
    touch();
    one.calls += 1;
    one.isRunning = true;
    objects.push(new WeakRef(request));
    signal.addEventListener('abort', () => one.aborts.push(signal.reason.message));
    seated += Number(hasSeat);
    if (seated > plan.seats) faults.push(`request ${id} has a seat, and so have ${plan.seats} others`);
    const over = () => {
      one.isRunning = false;
      seated -= Number(hasSeat);
    };
    const reply = () => {
      if (throws) throw new Error('As planned.');
      return contentReply(200, 'text/plain', replyTo(one.plan, content, remoteAddress));
    };
    const heeded = handler === 'heeds' ? signal : end.signal;
    if (handler !== 'returns') return delay(ms, undefined, { signal: heeded }).finally(over).then(reply);
    over();
    return reply();
  }

  function router(_method: string, path: string): Route {
    const one = seen.get(path);
    if (one === undefined) return { handler: () => emptyReply(204) };
    const { isLimited, hasSeat } = one.plan;
    const limits = { maxContentBytes: 2 ** 20, timeLimitMs: isLimited ? LIMIT_MS : Infinity };
    return { handler: (request) => handle(one, request), ...limits, ...hasSeat && { seats } };
  }

  function finished(record: AccessRecord): void {
    const one = seen.get(record.path ?? '');
    if (one === undefined) return;
    touch();
    one.records.push(record);
    const isUnaware = one.isRunning && one.aborts.length === 0;
    if (isUnaware) faults.push(`request ${one.plan.id} is over, and its handler goes on unaware`);
  }

  // The error itself is not kept: it keeps in memory what its stack names.
  function requestFailed(error: unknown): void {
    if (!/As planned|AbortError/.test(String(error))) faults.push(String(error));
  }

  const note = (reason: string) => ends.push(reason);
  const room = createRoom(plan.maxConnections);
  const noLimits = { headersTimeout: 0, requestTimeout: 0 }; // of Node's: the machine may be slow
  const fair: FairOptions = { ...noLimits, room, isBalancer, sweepMs: 50, dropped: note, failed: note };
  const setup: ServerSetup = {
    router, clientOf, isTrustedProxy, headRules: {}, keepAliveTimeoutMs: 0,
    createHttpServer: (own: HttpServerOptions) => createFairServer({ ...own, ...fair }),
    isDraining: () => state.isStopping && plan.drains,
    reports: { requestFailed, endedEarly: note, dropped: note, requestOver() {}, finished },
  };

  function createTaker(own: SecureContextOptions | undefined) {
    const httpServer = createFairServer({ ...fair, tls: own }).on('upgrade', echo).on('connect', echo);
    const close = () => once(httpServer.close(), 'close');
    return { httpServer, close, closeAll: () => httpServer.closeAllConnections(), handlers: () => 0 };
  }

  // What does not serve takes over.
  async function start(over: (typeof OVER)[number], serves: boolean) {
    const own = over === 'TLS' ? tls : undefined;
    const server = serves ? createServer(setup, own) : createTaker(own);
    server.httpServer.on('connection', (connection: Duplex) => objects.push(new WeakRef(connection)));
    const path = join(FOLDER, String(serves));
    const port = await listenOnPort(server.httpServer, over === 'Unix' ? path : undefined);
    return { ...server, over, serves, to: over === 'Unix' ? { path } : { port, host: '127.0.0.1' } };
  }
  const servers = await Promise.all(OVER.flatMap((over) => [start(over, true), start(over, false)]));
  let stopped: Promise<unknown> | undefined;

  return {
    seen, faults, ends, objects, state,
    /** Ends handlers that never end. */
    release: () => end.abort(),
    /** Where a client connects to, and from. */
    addressOf(over: (typeof OVER)[number], serves: boolean, from: string): NetConnectOpts {
      const { to = { path: '' } } = servers.find((one) => one.over === over && one.serves === serves) ?? {};
      return { ...to, ...over !== 'Unix' && { localAddress: from } };
    },
    /** How many connections are open, and handlers run. */
    busy: () => servers.reduce((sum, one) => sum + one.httpServer.openConnections() + one.handlers(), 0),
    /** Whether all seats are free, and no more. It takes them. */
    hasAllSeats(): boolean {
      let taken = 0;
      for (let i = 0; i <= plan.seats; i += 1) seats.take(`client ${i}`, () => { taken += 1; });
      return taken === plan.seats;
    },
    /** Stops listening. Resolves when all has ended. */
    stop(): Promise<unknown> {
      stopped ??= Promise.all(servers.map((one) => one.close()));
      return stopped;
    },
    /** Closes all at once. */
    cut(): void {
      state.isCut = true;
      for (const one of servers) one.closeAll();
    },
  };
}

// Sends back what it gets.
function echo(_: IncomingMessage, socket: Duplex, head: Buffer): void {
  socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
  socket.on('error', () => {}).unshift(head);
  socket.pipe(socket);
}
