// Plays many sequences, and checks what must hold after each.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { randomSequences } from '../../support/sequences/random-sequence.ts';
import { RARE } from '../../support/sequences/rare-sequences.ts';
import { describeSequence, type Sequence } from '../../support/sequences/steps.ts';
import { checkClient } from './invariants.ts';
import type { Code } from './service.ts';
import { play } from './world.ts';

type Failure = { readonly index: number; readonly sequence: Sequence; readonly fault: string };
/** `digest` is that of the events of all sequences. */
export type Run = { readonly count: number; readonly failure: Failure | undefined; readonly digest: string };

/** The sequences of `npm test`. */
export function* defaultSequences(): Generator<Sequence> {
  yield* RARE;
  yield* randomSequences(1, 3_000);
}

const realImmediate = setImmediate;

/** Plays `sequences` until one fails. Stack traces take a quarter of the time, so there are none. */
export async function run(code: Code, sequences: Iterable<Sequence>): Promise<Run> {
  const digest = createHash('sha256');
  let count = 0;
  let failure: Failure | undefined;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    for (const sequence of sequences) {
      const { events, fault } = await tryOut(code, sequence);
      digest.update(`${events.join('\n')}\n\n`);
      if (fault !== undefined) {
        failure = { index: count, sequence, fault };
        break;
      }
      count += 1;
      // Lets the process do what is not part of the sequences, such as signals.
      if (count % 100 === 0) await new Promise<void>((resolve) => realImmediate(resolve));
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  return { count, failure, digest: digest.digest('hex') };
}

/** Plays `sequence`. Returns its events, and the first fault. */
async function tryOut(code: Code, sequence: Sequence): Promise<{ readonly events: readonly string[]; readonly fault: string | undefined }> {
  const events: string[] = [];
  const thrown: unknown[] = []; // and not caught
  process.setUncaughtExceptionCaptureCallback((error) => thrown.push(error));
  try {
    const world = await play(code, sequence, (event) => events.push(event));
    assert.deepEqual(thrown, []);
    for (const client of world.clients) checkClient(client, world);
    return { events, fault: undefined };
  } catch (error) {
    return { events, fault: String(error) };
  } finally {
    process.setUncaughtExceptionCaptureCallback(null);
  }
}

/** The report of a sequence that fails, with the shortest one that still does: without each step, and request, that can be left out. */
export async function describeFailure(code: Code, sequence: Sequence, again: string): Promise<string> {
  for (const shorter of shorterThan(sequence)) {
    if ((await tryOut(code, shorter)).fault !== undefined) return describeFailure(code, shorter, again);
  }
  const { fault, events } = await tryOut(code, sequence);
  const lines = [fault, `The shortest sequence: ${describeSequence(sequence)}`, 'Events:'];
  return [...lines, ...events.map((event) => `  ${JSON.stringify(event)}`), `Again: ${again}`].join('\n');
}

function* shorterThan({ surroundings, steps }: Sequence): Generator<Sequence> {
  for (let i = steps.length - 1; i >= 0; i -= 1) yield { surroundings, steps: steps.toSpliced(i, 1) };
  for (const [i, step] of steps.entries()) {
    if (step.kind !== 'send' || step.parts.length === 1) continue;
    for (const part of step.parts) {
      yield { surroundings, steps: steps.with(i, { ...step, parts: step.parts.filter((one) => one !== part) }) };
    }
  }
}
