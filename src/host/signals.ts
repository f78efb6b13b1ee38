// What the process does on signals: it stops step by step, or reads the TLS files again.
import type { Configuration } from './configuration.ts';
import type { Log } from './log.ts';
import { EXIT_CODES } from './start-error.ts';

const SAME_STOP_MS = 1_000; // supervisors repeat signals; a terminal and npm both send SIGINT for one Ctrl-C

export type SignalActions = { stop: (signal: NodeJS.Signals) => void; reload: () => void };

/** Handles signals from now on, with actions that the caller replaces later. Until then, a stop just exits. */
export function handleSignals(
  platform: NodeJS.Platform = process.platform, isInTerminal: boolean | undefined = process.stdout.isTTY,
): SignalActions {
  const actions: SignalActions = { stop: () => process.exit(EXIT_CODES.stopped), reload: () => {} };
  const stops: NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGUSR2']; // nodemon sends the last one
  if (platform === 'win32') stops.push('SIGBREAK'); // Ctrl-Break
  if (platform === 'win32' || isInTerminal === true) stops.push('SIGHUP'); // the terminal is closed
  else process.on('SIGHUP', () => actions.reload());
  for (const signal of stops) process.on(signal, () => actions.stop(signal));
  return actions;
}

export type Stoppable = {
  readonly startDraining: () => void; // from now on `/health` replies with 503, and replies close their connections
  readonly stopListening: () => void;
  readonly close: () => Promise<void>; // stops listening, and resolves when all connections and handlers have ended
  readonly closeAll: () => number; // closes all connections, and returns how many requests were in progress
  readonly exit: (exitCode: number) => Promise<void>; // ends the process when the log has been written
};
type StopOptions = Pick<Configuration, 'shutdownDelayMs' | 'shutdownTimeoutMs' | 'hasHandedSockets'>;

/** What a signal does: the first one stops `service`; a second SIGINT, a second or more after that, ends it at once. */
export function createStop(service: Stoppable, options: StopOptions, log: Log): SignalActions['stop'] {
  const { shutdownDelayMs: delayMs, shutdownTimeoutMs: timeoutMs } = options;
  let stoppingSince: number | undefined;
  let isExiting = false; // after a second SIGINT

  async function stop(signal: NodeJS.Signals): Promise<void> {
    log('info', 'Stopping', { signal, delayMs });
    service.startDraining();
    if (options.hasHandedSockets) service.stopListening(); // new connections are left to other processes
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    log('info', 'Closing: no new connections, waiting for requests in progress', { timeoutMs });
    let requestsCut = 0;
    const deadline = setTimeout(() => { requestsCut = service.closeAll(); }, timeoutMs);
    await service.close();
    clearTimeout(deadline);
    if (isExiting) return;
    log('info', 'Stopped', { requestsCut });
    await service.exit(EXIT_CODES.stopped);
  }

  return (signal) => {
    if (stoppingSince === undefined) {
      stoppingSince = performance.now();
      void stop(signal);
    } else if (signal === 'SIGINT' && performance.now() - stoppingSince >= SAME_STOP_MS) {
      isExiting = true;
      log('warn', 'Stopping at once on a second signal', { signal });
      void service.exit(EXIT_CODES.failure);
    }
  };
}

/** What SIGHUP does without a terminal: it calls `read`, one at a time. If that fails, what was read before stays. */
export function createReload(read: () => Promise<void>, log: Log): SignalActions['reload'] {
  let last = Promise.resolve();
  return () => {
    last = last.then(read).then(
      () => log('info', 'The TLS files have been read again.'),
      (error) => log('error', 'The TLS files could not be read again; the previous ones stay in use.', { error }),
    );
  };
}
