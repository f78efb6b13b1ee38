// An error that nothing caught ends the process. The log says why.
import type { Log } from './log.ts';
import { EXIT_CODES, StartError } from './start-error.ts';

/**
 * Logs an error that nothing catches, unhandled rejections included, and ends the process: nobody knows
 * what state it is in. A StartError is logged as one line for each reason, without a stack.
 */
export function installUncaughtErrorHandler(log: Log): void {
  process.on('uncaughtException', (error) => {
    if (error instanceof StartError) {
      for (const reason of error.reasons) log('error', 'The service cannot start.', { reason });
      process.exit(error.exitCode);
    }
    log('fatal', 'The process ends because of an error that nothing caught.', { error });
    process.exit(EXIT_CODES.failure);
  });
}
