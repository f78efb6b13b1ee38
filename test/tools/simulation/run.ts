// Plays many sequences.
import { addUncaught, takeTime } from './clock.ts';
import { createDigest, tryOut, type Fault } from './check.ts';
import type { Sequence } from '../../support/sequences/steps.ts';
import type { Code } from '../../support/sequences/service.ts';

export type Failure = { readonly index: number; readonly sequence: Sequence; readonly fault: Fault };
export type Run = { readonly count: number; readonly failure: Failure | undefined; readonly digest: string };

const realImmediate = setImmediate;

/** Plays `sequences` until one fails. Stack traces take a quarter of the time, so by default there are none. */
export async function run(code: Code, sequences: Iterable<Sequence>, seen: (events: readonly string[]) => void = () => {}, traceLength = 0): Promise<Run> {
  const digest = createDigest();
  let count = 0;
  takeTime();
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = traceLength;
  process.setUncaughtExceptionCaptureCallback(addUncaught);
  try {
    for (const sequence of sequences) {
      const { events, fault } = await tryOut(code, sequence);
      digest.add(events);
      seen(events);
      if (fault !== undefined) return { count, failure: { index: count, sequence, fault }, digest: digest.hex() };
      count += 1;
      // Lets the process do what is not part of the sequences, such as signals.
      if (count % 100 === 0) await new Promise<void>((resolve) => realImmediate(resolve));
    }
    return { count, failure: undefined, digest: digest.hex() };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    process.setUncaughtExceptionCaptureCallback(null);
  }
}
