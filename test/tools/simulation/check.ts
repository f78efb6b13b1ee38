// Plays a sequence and checks what must hold after it.
import { createHash } from 'node:crypto';
import * as everywhere from '../../support/sequences/invariants.ts';
import type { Code } from '../../support/sequences/service.ts';
import { describeSequence, type Sequence } from '../../support/sequences/steps.ts';
import * as here from './invariants.ts';
import { servedIn } from './served.ts';
import { play, type World } from './world.ts';

export type Fault = { /** The name of what does not hold. */ readonly invariant: string; readonly message: string };

/** Plays `sequence`. Returns its events, and the first fault. */
export async function tryOut(code: Code, sequence: Sequence): Promise<{ readonly events: readonly string[]; readonly fault: Fault | undefined }> {
  let world;
  try {
    world = await play(code, sequence);
  } catch (error) {
    return { events: [], fault: { invariant: 'it comes to an end', message: String(error) } };
  }
  return { events: world.events, fault: faultOf(world) };
}

const [OF_SERVICE, OF_CLIENT] = [Object.entries(everywhere.OF_SERVICE), Object.entries(everywhere.OF_CLIENT)];
const [OF_WORLD, OF_SERVED] = [Object.entries(here.OF_WORLD), Object.entries(here.OF_CLIENT)];

function faultOf(world: World): Fault | undefined {
  let invariant = 'replies are whole';
  try {
    const all = world.clients.map((client) => servedIn(world, client));
    const check = <A extends readonly unknown[]>(invariants: readonly (readonly [string, (...about: A) => void])[], ...about: A) => {
      for (const [name, holds] of invariants) {
        invariant = name;
        holds(...about);
      }
    };
    check(OF_SERVICE, world, all);
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

/** The shortest sequence that still fails: without each step, and each request, that can be left out. */
export async function shrink(code: Code, sequence: Sequence): Promise<Sequence> {
  for (const shorter of shorterThan(sequence)) {
    const { fault } = await tryOut(code, shorter);
    if (fault !== undefined) return shrink(code, shorter);
  }
  return sequence;
}

function* shorterThan({ surroundings, steps }: Sequence): Generator<Sequence> {
  for (let i = steps.length - 1; i >= 0; i -= 1) yield { surroundings, steps: steps.toSpliced(i, 1) };
  for (const [i, step] of steps.entries()) {
    if (step.kind !== 'send' || step.parts.length === 1) continue;
    for (const part of step.parts) yield { surroundings, steps: steps.with(i, { ...step, parts: step.parts.filter((one) => one !== part) }) };
  }
}

/** The report of a sequence that fails. */
export async function describeFailure(code: Code, sequence: Sequence, again: string): Promise<string> {
  const shortest = await shrink(code, sequence);
  const { fault, events } = await tryOut(code, shortest);
  return [
    `${fault?.invariant}: ${fault?.message}`,
    `The shortest sequence: ${describeSequence(shortest)}`,
    'Events:',
    ...events.map((event) => `  ${JSON.stringify(event)}`),
    `Again: ${again}`,
  ].join('\n');
}

/** A digest of the events of all sequences. */
export function createDigest() {
  const hash = createHash('sha256');
  return {
    add: (events: readonly string[]) => hash.update(`${events.join('\n')}\n\n`),
    hex: () => hash.digest('hex'),
  };
}
