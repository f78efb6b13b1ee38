// Plays many sequences, and checks what must hold after each.
import assert from 'node:assert/strict';
import { checkClient } from './invariants.ts';
import { randomSequences } from './random-sequence.ts';
import { RARE } from './rare-sequences.ts';
import type { Code } from './service.ts';
import { describeSequence, type Sequence } from './steps.ts';
import { play } from './world.ts';

/** `index`: how many sequences came before it. */
type Failure = { readonly index: number; readonly sequence: Sequence; readonly fault: string };

/** Is told all that can be seen from outside, in order. */
type Tell = (event: string) => void;

/** The sequences of `npm test`. */
export function* defaultSequences(): Generator<Sequence> {
  yield* RARE;
  yield* randomSequences(1, 300);
}

/** Plays `sequences` until one fails. Stack traces take a quarter of the time, so there are none. */
export async function run(code: Code, sequences: Iterable<Sequence>, tell: Tell = () => {}): Promise<Failure | undefined> {
  let index = 0;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    for (const sequence of sequences) {
      const fault = await faultIn(code, sequence, tell);
      if (fault !== undefined) return { index, sequence, fault };
      index += 1;
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  return undefined;
}

/** Plays `sequence`. Returns what is wrong first. */
async function faultIn(code: Code, sequence: Sequence, tell: Tell): Promise<string | undefined> {
  const thrown: unknown[] = []; // and not caught
  process.setUncaughtExceptionCaptureCallback((error) => thrown.push(error));
  try {
    const world = await play(code, sequence, tell);
    assert.deepEqual(thrown, []);
    for (const client of world.clients) checkClient(client, world);
    return undefined;
  } catch (error) {
    return String(error);
  } finally {
    process.setUncaughtExceptionCaptureCallback(null);
  }
}

/** The report of a sequence that fails, with the shortest one that still does: without each step, and request, that can be left out. */
export async function describeFailure(code: Code, sequence: Sequence, again: string): Promise<string> {
  for (const shorter of shorterThan(sequence)) {
    if (await faultIn(code, shorter, () => {}) !== undefined) return describeFailure(code, shorter, again);
  }
  const events: string[] = [];
  const fault = await faultIn(code, sequence, (event) => events.push(event));
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
