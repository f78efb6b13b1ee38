// The service of a round, and servers whose listeners take connections over, all in one room.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import { emptyReply } from '../../../src/http/reply.ts';
import type { Route } from '../../../src/http/router.ts';
import { createSeats } from '../../../src/http/seats.ts';
import type { HttpServerOptions } from '../../../src/server/http-server.ts';
import { createServer, type ServerSetup } from '../../../src/server/server.ts';
import { clientOf, createFairServer, createRoom, type FairOptions } from '../../../src/turns/fair-server.ts';
import { listenOnPort } from '../../support/sockets.ts';
import { isBalancer, isTrustedProxy, OVER, type ConnectionPlan, type RoundPlan } from './generate.ts';
import { createHandlers } from './handlers.ts';

export const LIMIT_MS = 300; // for handlers that are limited
const NO_LIMITS = { headersTimeout: 0, requestTimeout: 0 }; // Node's: the machine may be slow

/** Starts it, with Unix sockets in `folder`. `touch` is called when something happens. */
export async function startService(plan: RoundPlan, folder: string, tls: SecureContextOptions, touch: () => void) {
  const { handle, requestFailed, finished, ...handlers } = createHandlers(plan, touch);
  const seats = createSeats(plan.seats);
  const ends: string[] = []; // why connections have ended
  const note = (reason: string) => ends.push(reason);
  const room = createRoom(plan.maxConnections);
  const fair: FairOptions = { room, isBalancer, sweepMs: 50, dropped: note, failed: note };
  const state = { isStopping: false, isCut: false };

  function router(_method: string, path: string): Route {
    const one = handlers.seen.get(path);
    if (one === undefined) return { handler: () => emptyReply(204) };
    const { isLimited, hasSeat } = one.plan;
    const limits = { maxContentBytes: 2 ** 20, timeLimitMs: isLimited ? LIMIT_MS : Infinity };
    return { handler: (request) => handle(one, request), ...limits, ...hasSeat && { seats } };
  }
  const setup: ServerSetup = {
    router, clientOf, isTrustedProxy, headRules: {}, keepAliveTimeoutMs: 0,
    createHttpServer: (own: HttpServerOptions) => createFairServer({ ...own, ...fair, ...NO_LIMITS }),
    isDraining: () => state.isStopping && plan.drains,
    reports: { requestFailed, endedEarly: note, dropped: note, requestOver() {}, finished },
  };

  // What does not serve takes over.
  async function start(over: ConnectionPlan['over'], serves: boolean) {
    const own = over === 'TLS' ? tls : undefined;
    const service = serves ? createServer(setup, own) : undefined;
    const taker = () => createFairServer({ ...fair, tls: own }).on('upgrade', echo).on('connect', echo);
    const server = service?.httpServer ?? taker();
    server.on('connection', (connection: Duplex) => handlers.objects.push(new WeakRef(connection)));
    const path = join(folder, `${plan.seed}-${serves}`);
    const port = await listenOnPort(server, over === 'Unix' ? path : undefined);
    return { over, serves, path, port, service, server };
  }
  const started = await Promise.all(OVER.flatMap((over) => [start(over, true), start(over, false)]));
  let stopped: Promise<unknown> | undefined;

  return {
    ...handlers, state, ends,
    /** Where a client connects to, and from. */
    addressOf({ over, takesOver, from }: Pick<ConnectionPlan, 'over' | 'takesOver' | 'from'>): NetConnectOpts {
      const isIts = (one: (typeof started)[number]) => one.over === over && one.serves === (takesOver === undefined);
      const { port = 0, path = '' } = started.find(isIts) ?? {};
      return over === 'Unix' ? { path } : { port, host: '127.0.0.1', localAddress: from };
    },
    /** How many connections are open, and handlers run. */
    busy: () => started.reduce((sum, { server, service }) =>
      sum + server.openConnections() + (service?.handlers() ?? 0), 0),
    /** Whether all seats are free, and no more. It takes them. */
    hasAllSeats(): boolean {
      let taken = 0;
      for (let i = 0; i <= plan.seats; i += 1) seats.take(`client ${i}`, () => { taken += 1; });
      return taken === plan.seats;
    },
    /** Stops listening. Resolves when all has ended. */
    async stop(): Promise<void> {
      stopped ??= Promise.all(started.map(async ({ server, service }) =>
        service?.close() ?? once(server.close(), 'close')));
      await stopped;
    },
    /** Closes all at once. */
    cut(): void {
      state.isCut = true;
      for (const { server, service } of started) {
        service?.closeAll();
        server.stopListening();
        server.closeAllConnections();
      }
    },
  };
}

// Sends back what it gets.
function echo(_: IncomingMessage, socket: Duplex, head: Buffer): void {
  socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
  socket.on('error', () => {}).unshift(head);
  socket.pipe(socket);
}
