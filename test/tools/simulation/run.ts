// Plays many sequences, and checks what must hold after each.
import { createHash } from 'node:crypto';
import * as everywhere from '../../support/sequences/invariants.ts';
import { randomSequences } from '../../support/sequences/random-sequence.ts';
import { RARE } from '../../support/sequences/rare-sequences.ts';
import { describeSequence, type Sequence } from '../../support/sequences/steps.ts';
import { addUncaught } from './clock.ts';
import * as here from './invariants.ts';
import { servedIn } from './served.ts';
import type { Code } from './service.ts';
import { play, type World } from './world.ts';

type Fault = { readonly invariant: string; readonly message: string };
type Failure = { readonly index: number; readonly sequence: Sequence; readonly fault: Fault };
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
  process.setUncaughtExceptionCaptureCallback(addUncaught);
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
    process.setUncaughtExceptionCaptureCallback(null);
  }
  return { count, failure, digest: digest.digest('hex') };
}

/** Plays `sequence`. Returns its events, and the first fault. */
async function tryOut(code: Code, sequence: Sequence): Promise<{ readonly events: readonly string[]; readonly fault: Fault | undefined }> {
  try {
    const world = await play(code, sequence);
    return { events: world.events, fault: faultOf(world) };
  } catch (error) {
    return { events: [], fault: { invariant: 'it comes to an end', message: String(error) } };
  }
}

const [OF_WORLD, OF_SERVED] = [Object.entries(here.OF_WORLD), Object.entries(here.OF_CLIENT)];
const OF_CLIENT = Object.entries(everywhere.OF_CLIENT);

function faultOf(world: World): Fault | undefined {
  let invariant = 'replies are whole';
  function check<A extends readonly unknown[]>(invariants: readonly (readonly [string, (...about: A) => void])[], ...about: A): void {
    for (const [name, holds] of invariants) {
      invariant = name;
      holds(...about);
    }
  }
  try {
    const all = world.clients.map((client) => servedIn(world, client));
    check(OF_WORLD, world);
    for (const served of all) {
      check(OF_CLIENT, served);
      check(OF_SERVED, served, world);
    }
    return undefined;
  } catch (error) {
    return { invariant, message: error instanceof Error ? error.message : String(error) };
  }
}

/** The report of a sequence that fails, with the shortest one that still does: without each step, and request, that can be left out. */
export async function describeFailure(code: Code, sequence: Sequence, again: string): Promise<string> {
  for (const shorter of shorterThan(sequence)) {
    if ((await tryOut(code, shorter)).fault !== undefined) return describeFailure(code, shorter, again);
  }
  const { fault, events } = await tryOut(code, sequence);
  const lines = [`${fault?.invariant}: ${fault?.message}`, `The shortest sequence: ${describeSequence(sequence)}`, 'Events:'];
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
