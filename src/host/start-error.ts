// Why the service cannot start, and the exit code that tells a supervisor whether to try again.

/** The codes that the process ends with; supervisors decide by them whether to start it again. */
export const EXIT_CODES = {
  stopped: 0,
  failure: 1,
  /** `EX_CONFIG` of sysexits.h: the configuration cannot work, and trying again will not help. */
  configuration: 78,
} as const;

/** The service cannot start. */
export class StartError extends Error {
  /** Sentences for the person who starts it: one for each mistake, all of them at once. */
  readonly reasons: readonly string[];
  readonly exitCode: number;

  constructor(reasons: readonly string[], exitCode: number, cause?: unknown) {
    super(reasons.join('\n'), { cause });
    this.reasons = reasons;
    this.exitCode = exitCode;
  }
}

/** One error for all of `errors`: it does not help to try again when it does not help for one of them. */
export function joinStartErrors(errors: readonly StartError[]): StartError {
  return new StartError(errors.flatMap(({ reasons }) => reasons), Math.max(...errors.map(({ exitCode }) => exitCode)), errors[0]?.cause);
}

/** The sentence for a variable that has a value which cannot be used. */
export function mistakeIn(variable: string, value: string, accepted: string): string {
  return `${variable} is ${JSON.stringify(value)}, but must be ${accepted}.`;
}
