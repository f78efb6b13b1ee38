// What the process does on signals. It ends in steps: say so, close the door, let those inside finish, cut
// those who don't. And it reads again what can be read again.
import type { Log } from './log.ts';

export type Stoppable = {
  /** From now on `/health` is unhealthy and every reply the last on its connection. */
  readonly startDraining: () => void;
  /** Closes listeners and idle connections, and resolves when the busy ones have ended. */
  readonly close: () => Promise<void>;
  /** Ends all connections at once, and returns how many there were. */
  readonly cut: () => number;
  /** Resolves when the log has been taken, or won't be. */
  readonly flush: () => Promise<void>;
};

export type StopTimes = {
  /** How long to go on serving after the signal, so that load balancers see it and leave. */
  readonly delayMs: number;
  /** How long, after that, to wait for requests under way. */
  readonly timeoutMs: number;
};

/** On SIGTERM or SIGINT stops in steps and exits with 0. On a second signal exits with 1 at once. */
export function stopOnSignal(service: Stoppable, { delayMs, timeoutMs }: StopTimes, log: Log): void {
  let isStopping = false;

  async function stop(): Promise<void> {
    service.startDraining();
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    let cut = 0;
    const deadline = setTimeout(() => {
      cut = service.cut();
    }, timeoutMs);
    const closed = service.close();
    log('info', 'Closed the listeners and idle connections', { timeoutMs });
    await closed;
    clearTimeout(deadline);
    log('info', 'Stopped', { connectionsCut: cut });
    await service.flush();
    process.exit(0);
  }

  function onSignal(signal: NodeJS.Signals): void {
    if (isStopping) {
      log('warn', `Stopping at once on a second signal, ${signal}`);
      process.exit(1);
    }
    isStopping = true;
    log('info', `Stopping on ${signal}`, { delayMs });
    void stop();
  }

  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

/** On SIGHUP calls `reload`; when that throws, what was in use stays in use. */
export function reloadOnHangup(reload: () => void, log: Log): void {
  process.on('SIGHUP', () => {
    try {
      reload();
      log('info', 'The TLS files, if any, have been read again.');
    } catch (error) {
      log('error', 'The TLS files could not be read again; those in use stay.', { error });
    }
  });
}
