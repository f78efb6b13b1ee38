// When the process cannot start, or must die, it says so in the log and exits with 1.
import type { Log } from './log.ts';

/** Why the service cannot start, in sentences for the person who starts it. */
export class StartError extends Error {
  /** One sentence for each reason, all of them at once. */
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[], cause?: unknown) {
    super(reasons.join('\n'), { cause });
    this.reasons = reasons;
  }
}

/**
 * Logs whatever nobody caught, rejections included, and exits: what state the process is in then,
 * nobody knows. A start that cannot be is told in one line for each reason, without a stack.
 */
export function dieWithLastWords(log: Log): void {
  process.on('uncaughtException', (error) => {
    if (error instanceof StartError) {
      for (const reason of error.reasons) log('error', reason);
    } else {
      log('fatal', 'The process ends because of an error that nothing caught.', { error });
    }
    process.exit(1);
  });
}
