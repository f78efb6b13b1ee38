// Logs an uncaught error and ends the process.
import type { Log } from './log.ts';
import { EXIT_CODES, StartError } from './start-error.ts';

/**
 * From now on an uncaught error or an unhandled rejection is logged, and `exit` is called, because the state of the
 * process is unknown then. A StartError is logged as one line for each reason, without a stack.
 */
export function installUncaughtErrorHandler(log: Log, exit: (exitCode: number) => void): void {
  process.on('uncaughtException', (error) => {
    if (error instanceof StartError) {
      for (const reason of error.reasons) log('error', 'The service cannot start.', { reason });
      exit(error.exitCode);
    } else {
      log('fatal', 'The process ends because of an error that nothing caught.', { error });
      exit(EXIT_CODES.failure);
    }
  });
}
