// What the process does on signals and uncaught errors: it stops step by step, reads the TLS files again, or ends.
import type { Log } from './log.ts';
import { EXIT_CODES, StartError } from './start-error.ts';

type Stoppable = {
  readonly startDraining: () => void; // from now on `/health` replies with 503, and replies close their connections
  readonly close: () => Promise<void>; // stops listening, and closes idle connections. Resolves when all connections have ended.
  readonly closeAll: () => number; // closes all connections immediately, and returns how many of them still owed a reply
  readonly summarize: () => void; // logs at once all counts that have not been logged yet
  readonly exit: (exitCode: number) => void; // ends the process when the log has been written, or when it has waited long enough for that
};

/** In milliseconds: how long to go on serving while load balancers notice, and then how long to wait for requests in progress. */
type StopTimes = { readonly shutdownDelayMs: number; readonly shutdownTimeoutMs: number };

/** From now on SIGTERM or SIGINT stops `service`, and the process exits with code 0; at once, with code 1, on a second signal. */
export function installStopHandler(service: Stoppable, times: StopTimes, log: Log): void {
  const { shutdownDelayMs: delayMs, shutdownTimeoutMs: timeoutMs } = times;
  let isStopping = false;

  async function onSignal(signal: NodeJS.Signals): Promise<void> {
    if (isStopping) {
      service.summarize();
      log('warn', 'Stopping at once on a second signal', { signal });
      return service.exit(EXIT_CODES.failure);
    }
    isStopping = true;
    log('info', 'Stopping', { signal, delayMs });
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

  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);
}

/** From now on SIGHUP calls `reload`, if there is one, one at a time. When it fails, the TLS files that were read before stay in use. */
export function installReloadHandler(reload: (() => Promise<void>) | undefined, log: Log): void {
  let last = Promise.resolve();
  process.on('SIGHUP', () => {
    if (reload === undefined) return log('info', 'There are no TLS files to read again.');
    last = last.then(reload).then(
      () => log('info', 'The TLS files have been read again.'),
      (error: unknown) => log('error', 'The TLS files could not be read again; the previous ones stay in use.', { error }),
    );
  });
}

/** From now on an uncaught error or an unhandled rejection is logged, and `exit` is called: nobody knows what still works. */
export function installUncaughtErrorHandler(log: Log, exit: (exitCode: number) => void): void {
  process.on('uncaughtException', (error) => {
    if (error instanceof StartError) error.reasons.forEach((reason) => log('error', 'The service cannot start.', { reason }));
    else log('fatal', 'The process is exiting because of an uncaught error.', { error });
    exit(error instanceof StartError ? error.exitCode : EXIT_CODES.failure);
  });
}
