// Logs an uncaught error and ends the process.
import type { Log } from './log.ts';
import { EXIT_CODES, StartError } from './start-error.ts';

/**
 * From now on an uncaught error or an unhandled rejection is logged, and ends the process, because its state is
 * unknown then. A StartError is logged as one line for each reason, without a stack; the process ends when `flush` has
 * resolved, so that a slow reader gets the whole lines.
 */
export function installUncaughtErrorHandler(log: Log, flush: () => Promise<void>): void {
  process.on('uncaughtException', (error) => {
    if (error instanceof StartError) {
      for (const reason of error.reasons) log('error', 'The service cannot start.', { reason });
      void flush().then(() => process.exit(error.exitCode));
      return;
    }
    log('fatal', 'The process ends because of an error that nothing caught.', { error });
    process.exit(EXIT_CODES.failure);
  });
}
