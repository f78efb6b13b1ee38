// What the process does on signals: it stops in steps, and it reads the TLS files again.
import type { Log } from './log.ts';
import { EXIT_CODES } from './start-error.ts';

export type Stoppable = {
  readonly startDraining: () => void; // from now on `/health` replies 503, and replies close their connections
  readonly close: () => Promise<void>; // stops listening, and closes idle connections. Resolves when all connections have ended.
  readonly closeAll: () => number; // closes all connections at once, and returns on how many of them a reply had not left
  readonly summarize: () => void; // logs at once all counts that have not been logged yet
  readonly exit: (exitCode: number) => void; // ends the process when the log has been written, or when the time to wait for that is over
};

/** Times in milliseconds: how long to go on serving, so that load balancers stop sending, and then to wait for requests. */
export type StopTimes = { readonly delayMs: number; readonly timeoutMs: number };

/**
 * From now on SIGTERM or SIGINT stops `service`: it drains, stops listening, waits for requests in progress, closes the connections that
 * take too long, and the process exits with code 0. A second signal ends the process at once, with exit code 1.
 */
export function installStopHandler(service: Stoppable, { delayMs, timeoutMs }: StopTimes, log: Log): void {
  let isStopping = false;

  async function stop(): Promise<void> {
    service.startDraining();
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    let cut = 0;
    const deadline = setTimeout(() => { cut = service.closeAll(); }, timeoutMs);
    const closed = service.close();
    log('info', 'Closing: no new connections, waiting for requests in progress', { timeoutMs });
    await closed;
    clearTimeout(deadline);
    service.summarize();
    log('info', 'Stopped', { connectionsCut: cut });
    service.exit(EXIT_CODES.stopped);
  }

  function onSignal(signal: NodeJS.Signals): void {
    if (isStopping) {
      service.summarize();
      log('warn', 'Stopping at once on a second signal', { signal });
      service.exit(EXIT_CODES.failure);
      return;
    }
    isStopping = true;
    log('info', 'Stopping', { signal, delayMs });
    void stop();
  }

  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

/** From now on SIGHUP calls `reload`, if there is one. When it throws, the TLS files that were read before stay in use. */
export function installReloadHandler(reload: (() => void) | undefined, log: Log): void {
  process.on('SIGHUP', () => {
    if (reload === undefined) return log('info', 'There are no TLS files to read again.');
    try {
      reload();
      log('info', 'The TLS files have been read again.');
    } catch (error) {
      log('error', 'The TLS files could not be read again; the previous ones stay in use.', { error });
    }
  });
}
