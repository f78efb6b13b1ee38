// Why the service cannot start, in sentences for the person who starts it.

export class StartError extends Error {
  /** One sentence for each reason, all of them at once. */
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[], cause?: unknown) {
    super(reasons.join('\n'), { cause });
    this.reasons = reasons;
  }
}
