// The service of a sequence, in this process and on a real socket. Its time is that of the sequence.
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import type { SecureContext } from 'node:tls';
import type { Secure } from '../../../src/server/server.ts';
import { secure } from '../../../src/server/tls.ts';
import type { Outside } from './invariants.ts';
import { HANG_MS } from './line.ts';
import type { Target } from './play-on-sockets.ts';
import { CODE, makeService } from './service.ts';
import { LIMITS, LONGEST_MS, type ServiceStep, type Surroundings } from './steps.ts';
import { Timers } from './timers.ts';

/** How clients reach it: `path` is that of a Unix socket. */
export type Transport = { readonly path?: string; readonly secureContext?: SecureContext };

export type ListeningService = Target & {
  /** Stops it; its clients have gone. */
  readonly end: () => Promise<Outside>;
};

export async function startListening(surroundings: Surroundings, { path, secureContext }: Transport): Promise<ListeningService> {
  const timers = new Timers();
  let events = 0;
  const { app, records, dropped, failures } = await makeService(CODE, surroundings, () => { events += 1; });
  const secureOf = (context: SecureContext): Secure => (...carrier) => secure(context, ...carrier);
  const server = withTimers(timers, () => (secureContext === undefined ? app.createServer() : app.createSecureServer(secureOf(secureContext))));
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
    const until = timers.nowMs + ms;
    while (!isEnough()) {
      const run = timers.next(until);
      if (run === undefined) {
        timers.nowMs = until;
        return;
      }
      run();
    }
  }

  function perform(step: ServiceStep): void {
    const before = events;
    switch (step.kind) {
      case 'pass': return pass(step.ms);
      case 'next limit': return pass(LIMITS.idleMs + 2 * LIMITS.sweepMs, () => events > before);
      case 'drain': return app.startDraining();
      case 'stop': return stop();
      case 'cut': if (closed !== undefined) app.closeAll();
    }
  }

  return {
    place: typeof address === 'object' && address !== null ? { port: address.port } : { path: path ?? '' },
    isSecure: secureContext !== undefined,
    clientAddress: path === undefined ? '127.0.0.1' : undefined,
    perform,
    nowMs: () => timers.nowMs,
    limits: { headMs: LIMITS.headMs, closeMs: LIMITS.lingerMs, lingerMs: LIMITS.lingerMs },
    hasClosed: () => closed !== undefined || dropped.length > 0,
    isClosing: () => closed !== undefined,
    end: async () => {
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
      return { records, errors: failures, allClosed: isStopped, isStopped };
    },
  };
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
