// The error for a service that cannot start, and the exit codes.

/** The exit codes of the process. Supervisors use them to decide whether to restart it. */
export const EXIT_CODES = {
  stopped: 0,
  failure: 1,
  configuration: 78, // `EX_CONFIG` of sysexits.h: the configuration cannot work, so restarting cannot help
} as const;

export class StartError extends Error {
  readonly reasons: readonly string[]; // one sentence for each, for the person who starts the service
  readonly exitCode: number;

  constructor(reasons: readonly string[], exitCode: number = EXIT_CODES.configuration) {
    super(reasons.join('\n'));
    this.reasons = reasons;
    this.exitCode = exitCode;
  }
}

/** The sentence for a variable whose value cannot be used. */
export function mistakeIn(variable: string, value: string, accepted: string): string {
  return `${variable} is ${JSON.stringify(value)}, but must be ${accepted}.`;
}
