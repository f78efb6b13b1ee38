// Plays a sequence on real sockets against a new service, in this process, and checks what must hold after it. The time of the service is
// that of the sequence.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { SecureContext } from 'node:tls';
import { secure } from '../../../src/server/tls.ts';
import { OF_CLIENT, OF_SERVICE } from './invariants.ts';
import { HANG_MS } from './line.ts';
import { playOnSockets } from './play-on-sockets.ts';
import { CODE, makeService } from './service.ts';
import { LIMITS, LONGEST_MS, type Sequence, type ServiceStep } from './steps.ts';
import { Timers } from './timers.ts';

/** How clients reach it: `path` is that of a Unix socket. */
export type Transport = { readonly path?: string; readonly secureContext?: SecureContext };

/** Throws what does not hold. */
export async function runOnSockets(sequence: Sequence, { path, secureContext }: Transport): Promise<void> {
  const timers = new Timers();
  let events = 0;
  const { app, records, dropped, failures } = await makeService(CODE, sequence.surroundings, () => { events += 1; });
  const sockets: Socket[] = []; // of the connections, in the order in which they were accepted: over TLS, the TLS sockets
  const server = withTimers(timers, () => (secureContext === undefined ? app.createServer() : app.createSecureServer((...about) => {
    const transport = secure(secureContext, ...about);
    sockets.push(transport.socket);
    return transport;
  })));

  // What is dropped for a new connection is destroyed, or its side is ended, while that is accepted.
  const wasDropped = new Set<number>();
  const endings = () => sockets.map(({ destroyed, writableEnded }) => `${destroyed} ${writableEnded}`);
  let [before, droppedBefore] = [endings(), 0];
  server.prependListener('connection', () => { [before, droppedBefore] = [endings(), dropped.length]; });
  server.on('connection', (carrier) => {
    if (sockets.length === before.length) sockets.push(carrier); // without TLS
    const after = endings();
    if (dropped.length > droppedBefore) wasDropped.add(after.findIndex((ending, i) => ending !== (before[i] ?? 'false false')));
  });

  server.listen(path === undefined ? { port: 0, host: '127.0.0.1' } : { path });
  await once(server, 'listening');
  const address = server.address();
  let closed: Promise<void> | undefined;
  let isStopped = false;

  function stop(): void {
    app.startDraining();
    closed ??= withTimers(timers, () => app.close()).then(() => { isStopped = true; });
  }

  function pass(ms: number, isEnough = () => false): void {
    for (const run of timers.pass(ms)) {
      run();
      if (isEnough()) return;
    }
  }

  function perform(step: ServiceStep): void {
    const eventsBefore = events;
    switch (step.kind) {
      case 'pass': return pass(step.ms);
      case 'next limit': return pass(LIMITS.idleMs + 2 * LIMITS.sweepMs, () => events > eventsBefore);
      case 'drain': return app.startDraining();
      case 'stop': return stop();
      case 'cut': if (closed !== undefined) app.closeAll();
    }
  }

  async function end(): Promise<void> {
    stop();
    // Node does not notice that a client has reset a TLS connection very early: it is closed by a limit only.
    for (let ms = 0; ms < LONGEST_MS && !isStopped; ms += LIMITS.sweepMs) {
      for (let turns = 0; turns < 3; turns += 1) await turn();
      pass(LIMITS.sweepMs);
    }
    const hang = new AbortController();
    const timer = setTimeout(() => hang.abort(), HANG_MS);
    await Promise.race([closed, once(hang.signal, 'abort')]);
    clearTimeout(timer);
    app.closeAll();
  }

  const outcomes = await playOnSockets(sequence, {
    place: typeof address === 'object' && address !== null ? { port: address.port } : { path: path ?? '' },
    isSecure: secureContext !== undefined,
    clientAddress: path === undefined ? '127.0.0.1' : undefined,
    perform,
    nowMs: () => timers.nowMs,
    limits: { headMs: LIMITS.headMs, closeMs: LIMITS.lingerMs, lingerMs: LIMITS.lingerMs },
    hasClosed: (client) => closed !== undefined || wasDropped.has(client),
    isClosing: () => closed !== undefined,
  }).finally(end);
  for (const holds of Object.values(OF_SERVICE)) holds({ records, errors: failures, allClosed: isStopped, isStopped }, outcomes);
  for (const holds of Object.values(OF_CLIENT)) outcomes.forEach(holds);
}

/** What `run` returns; the timers that it makes belong to `timers`. */
function withTimers<T>(timers: Timers, run: () => T): T {
  const { setTimeout, setInterval } = globalThis;
  Object.assign(globalThis, { setTimeout: timers.functions.setTimeout, setInterval: timers.functions.setInterval });
  try {
    return run();
  } finally {
    Object.assign(globalThis, { setTimeout, setInterval });
  }
}
