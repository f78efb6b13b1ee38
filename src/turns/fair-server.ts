// An `http.Server` whose clients take turns. A listener of its own accepts connections, and can stop first: the server
// would close connections on which a request may be on its way, and end its time limits.
import type { RequestListener, ServerOptions } from 'node:http';
import net, { type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { nextTick } from 'node:process';
import { clearInterval, setInterval, setTimeout } from 'node:timers'; // the global ones may be a test's
import { setImmediate as iteration } from 'node:timers/promises';
import { createConnections, type ConnectionOptions } from './connections.ts';
import { createHttpServer } from './http-server.ts';
import { checkOptions } from './options.ts';
import { HIGH_WATER_MARK } from './reader.ts';
import { createTurns, type Turns } from './turns.ts';
import { memberOf } from './valve.ts';

export { clientOf } from './client.ts';
export { createRoom } from './room.ts';

const STEP_MS = 250; // of the stop: the longest time for its first step, and the time for the second, see `close`

const processTurns = createTurns(); // of all servers, because they share the event loop

export type FairOptions = ConnectionOptions & Omit<ServerOptions, 'noDelay' | 'highWaterMark'> & {
  readonly swept?: (ms: number) => void; // is called every so many milliseconds
  readonly turns?: Turns; // for tests, like the next one
  readonly sweepMs?: number;
};

/** As `http.createServer`, with more options. Throws a TypeError if one is not accepted. */
export function createFairServer(optionsOrHandler: FairOptions | RequestListener = {}, otherHandler?: RequestListener) {
  const isHandler = typeof optionsOrHandler === 'function';
  const [options, handler] = isHandler ? [{}, optionsOrHandler] : [optionsOrHandler, otherHandler];
  checkOptions(options);
  const { turns = processTurns, sweepMs = 1_000, swept } = options;
  let stop: { isClosing: boolean } | undefined; // that is in progress
  let hasAccepted = false; // a connection, in this iteration
  let sweeper: NodeJS.Timeout | undefined;
  const server = createHttpServer(options, () => stop !== undefined, handler, options.tls && accept);
  const connections = createConnections(server, options, turns);
  const listener = net.createServer({ ...options, noDelay: true, highWaterMark: HIGH_WATER_MARK });
  const stopListening = listener.close.bind(listener);
  const end = server.close.bind(server); // Node's: ends its time limits, and emits `close`

  listener.on('connection', (socket) => {
    hasAccepted = true;
    turns.accepted(); // Node accepts one in each iteration of the event loop
    accept(socket);
  });
  for (const name of ['error', 'drop']) listener.on(name, (data) => server.emit(name, data));
  // Later: a `close` of before ends Node's time limits, which begin at this event. If it is closed meanwhile, it stops.
  listener.on('listening', () => nextTick(() => (server.listening ? server.emit('listening') : stopListening())));
  listener.on('close', () => {
    if (!listener.listening) stop = undefined; // or another one is in progress
    clearInterval(sweeper);
    sweeper = undefined;
    end();
  });
  listener.close = (callback) => { // Node calls it for the `signal` of `listen`, and for `worker.disconnect()`
    server.close(callback);
    return listener;
  };

  function accept(socket: Socket): void {
    sweeper ??= setInterval(sweep, sweepMs).unref();
    connections.accept(socket);
  }

  function sweep(): void {
    connections.sweep(sweepMs);
    swept?.(sweepMs);
    if (stop?.isClosing === true) connections.closeIdle();
  }

  async function beginStop(): Promise<void> {
    const own = { isClosing: false };
    stop = own;
    const latest = performance.now() + STEP_MS;
    await iteration(); // the current one may be past accepting
    do {
      hasAccepted = false;
      await iteration();
    } while (hasAccepted && performance.now() < latest);
    if (stop !== own) return; // all has been closed meanwhile, or it listens again
    stopListening();
    await new Promise((resolve) => { setTimeout(resolve, STEP_MS).unref(); });
    if (stop !== own) return;
    own.isClosing = true;
    connections.closeIdle();
  }

  for (const name of ['address', 'getConnections', 'ref', 'unref', 'maxConnections', 'dropMaxConnection']) {
    const set = (value: unknown) => Reflect.set(listener, name, value);
    Object.defineProperty(server, name, { get: () => memberOf(listener, name, server), set });
  }
  Object.defineProperty(server, 'listening', { get: () => listener.listening && stop === undefined });
  server.listen = (...args: unknown[]) => {
    if (stop !== undefined && listener.listening) stopListening(); // so nothing more is accepted for that stop
    const callback = typeof args.at(-1) === 'function' ? args.pop() : undefined;
    Reflect.apply(listener.listen, listener, args);
    if (callback !== undefined) Reflect.apply(server.once, server, ['listening', callback]);
    stop = undefined;
    return server;
  };
  // Accepts what waits in the kernel's queue, stops listening, and closes connections that are still idle after a while
  // (a request may be on its way). `close` is the end.
  server.close = (callback) => {
    const { listening } = server;
    if (typeof callback === 'function') server.once('close', listening ? callback : () => callback(notRunning()));
    if (stop === undefined) void beginStop();
    return server;
  };
  server.closeIdleConnections = connections.closeIdle;
  server.closeAllConnections = connections.closeAll;
  return Object.assign(server, {
    listener,
    /** Stops listening at once: what waits in the kernel's queue is reset, or left to others who have the socket. */
    stopListening: () => stopListening(),
    leaveBehind: connections.leaveBehind,
    openConnections: connections.count,
    longestTurnWait: turns.longestWait, // on all servers
    setSecureContext: connections.setSecureContext, // for new connections
  });
}

// As Node's.
const notRunning = () => Object.assign(new Error('Server is not running.'), { code: 'ERR_SERVER_NOT_RUNNING' });
