// The service of a round: handlers do what the plan says, and what is to be taken over is sent back.
import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { Socket, type NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { contentReply } from '../../../src/http/reply.ts';
import type { HttpRequest } from '../../../src/http/request.ts';
import { createSeats } from '../../../src/http/seats.ts';
import { createServer, type Server, type ServerSetup } from '../../../src/server/server.ts';
import { clientOf, createFairServer, createRoom } from '../../../src/turns/fair-server.ts';
import { temporaryFolder, tlsVariables } from '../../support/certificates.ts';
import { listenOnPort } from '../../support/sockets.ts';
import { replyTo } from './bytes.ts';
import { isBalancer, isTrustedProxy, LIMIT_MS, type Connection, type Request, type Round } from './generate.ts';

const PATH = join(temporaryFolder(), 'socket');
const { TLS_CERT_FILE, TLS_KEY_FILE } = tlsVariables();
const TLS = { cert: readFileSync(TLS_CERT_FILE), key: readFileSync(TLS_KEY_FILE) };

/** Starts it. */
export async function startService(plan: Round) {
  const requests = new Map(plan.connections.flatMap((one) => one.requests).map((one) => [`/${one.id}`, one]));
  const [faults, ends]: [string[], string[]] = [[], []]; // `ends`: why connections have ended
  const objects: WeakRef<object>[] = []; // that nobody must remember
  const addresses = new Set<string>(); // of clients, as the room knows them
  const state = { events: 0, isStopping: false, isCut: false };
  const end = new AbortController(); // of handlers that never end by themselves
  setMaxListeners(0, end.signal);
  const servers: Server[] = [];
  const seats = createSeats(plan.seats);
  const room = createRoom(plan.maxConnections);
  const stop = () => Promise.all(servers.map((server) => server.close()));
  let stopped: Promise<unknown> | undefined; // early

  // Something happens. After so many events, the service stops.
  function touch(): void {
    state.events += 1;
    if (state.events !== plan.stopAfter) return;
    state.isStopping = true;
    stopped = stop();
    delay(plan.cutMs, undefined, { signal: end.signal }).then(() => {
      state.isCut = true;
      for (const server of servers) server.closeAll();
    }, () => {});
  }

  function handle(one: Request, request: HttpRequest) {
    const { handler, ms, throws } = one;
    const { content, remoteAddress, signal } = request;
    touch();
    one.calls += 1;
    one.isRunning = true;
    objects.push(new WeakRef(request));
    signal.addEventListener('abort', () => one.aborts.push(signal.reason.message));
    const seated = [...requests.values()].filter((other) => other.isRunning && other.hasSeat);
    if (seated.length > plan.seats) faults.push(`${seated.length} requests have one of ${plan.seats} seats`);
    const over = () => { one.isRunning = false; };
    const reply = () => {
      over();
      if (throws) throw new Error('As planned.');
      return contentReply(200, 'text/plain', replyTo(one, content, remoteAddress));
    };
    const heeded = handler === 'heeds' ? signal : end.signal;
    return handler === 'returns' ? reply() : delay(ms, undefined, { signal: heeded }).finally(over).then(reply);
  }

  const note = (reason: string) => ends.push(reason);
  const setup: ServerSetup = {
    clientOf, isTrustedProxy, headRules: {}, keepAliveTimeoutMs: 0,
    router(_method, path) {
      const one = requests.get(path);
      if (one === undefined) throw new Error(`Nobody has sent ${path}.`);
      const { isLimited, hasSeat } = one;
      const limits = { maxContentBytes: 2 ** 20, timeLimitMs: isLimited ? LIMIT_MS : Infinity };
      return { handler: (request) => handle(one, request), ...limits, ...hasSeat && { seats } };
    },
    createHttpServer: (own) => // without Node's time limits: the machine may be slow
      createFairServer({ ...own, headersTimeout: 0, requestTimeout: 0, room, isBalancer, sweepMs: 50 }),
    isDraining: () => state.isStopping && plan.drains,
    reports: {
      endedEarly: note, dropped: note, requestOver() {},
      finished(record) {
        const one = requests.get(record.path ?? '');
        one?.records.push(record);
        if (one?.isRunning && one.aborts.length === 0) faults.push(`${one.id} is over, and its handler is not told`);
      },
      requestFailed(error) { // which is not kept: it keeps in memory what its stack names
        if (!/As planned|AbortError/.test(String(error))) faults.push(String(error));
      },
    },
  };

  // Resolves with where clients connect to.
  async function start(over: Connection['over']): Promise<NetConnectOpts> {
    const server = createServer(setup, over === 'TLS' ? TLS : undefined);
    servers.push(server);
    server.httpServer.removeAllListeners('connect').on('connect', echo).on('upgrade', echo);
    server.httpServer.on('connection', (connection) => {
      objects.push(new WeakRef(connection));
      addresses.add(connection.remoteAddress ?? '');
    });
    const port = await listenOnPort(server.httpServer, over === 'Unix' ? PATH : undefined);
    return over === 'Unix' ? { path: PATH } : { port, host: '127.0.0.1' };
  }

  const to = { TCP: await start('TCP'), TLS: await start('TLS'), Unix: await start('Unix') };

  return {
    faults, ends, objects, state, end, touch, to,
    /** Stops listening, unless it has. Resolves when all has ended. */
    stop: () => stopped ?? stop(),
    /** Whether no connection is open, and no handler runs, not even one left behind. */
    isIdle(): boolean {
      const probe = room.add(new Socket(), () => {}); // it is counted for one client after the other
      const sizes = [...addresses].map((address) => {
        room.move(probe, address);
        return probe.client.size;
      });
      room.remove(probe);
      return servers.every(({ handlers }) => handlers() === 0) && sizes.every((size) => size === 1);
    },
    /** Whether all seats are free, and no more. It takes them. */
    hasAllSeats(): boolean {
      let taken = 0;
      for (let i = 0; i <= plan.seats; i += 1) seats.take(`client ${i}`, () => { taken += 1; });
      return taken === plan.seats;
    },
  };
}

// Sends back what it gets.
function echo(_: unknown, socket: Duplex, head: Buffer): void {
  socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
  socket.on('error', () => {}).unshift(head);
  socket.pipe(socket);
}
