// Time and turns of the event loop in the hands of the simulation: it replaces the global timers and the clock of this process.
//
// What node does by itself between two callbacks (process.nextTick, promises) stays node's. It has an order of its own, which is
// always the same.
import { Timers } from './timers.ts';

type Immediate = { readonly run: () => void };

/** When something has happened. `order` grows with each moment, `callback` says which one of the event loop it was. */
export type Moment = { readonly order: number; readonly ms: number; readonly callback: number; readonly turn: number };

const MAX_TURNS = 2_000;

let timers = new Timers();
let immediates: Immediate[] = []; // for the next turn
let due: Immediate[] = []; // in this turn
let thrown: unknown[] = [];
let order = 0, callbacks = 0, turns = 0;

/** Replaces the clock of this process. */
export function takeTime(): void {
  Object.assign(performance, { now });
}

/** Begins at time 0 without any timer. */
export function resetTime(): void {
  timers = new Timers();
  Object.assign(globalThis, timers.functions, { setImmediate: addImmediate, clearImmediate: removeImmediate });
  [immediates, due, thrown] = [[], [], []];
  order = callbacks = turns = 0;
}

function addImmediate(run: () => void): Immediate {
  const immediate = { run };
  immediates.push(immediate);
  return immediate;
}

function removeImmediate(immediate: Immediate): void {
  immediates = immediates.filter((one) => one !== immediate);
  due = due.filter((one) => one !== immediate);
}

/** This moment. */
export function moment(): Moment {
  order += 1;
  return { order, ms: timers.nowMs, callback: callbacks, turn: turns };
}

/** Milliseconds since the sequence began. */
export const now = (): number => timers.nowMs;

/** How many timers and immediates there are. */
export const pending = (): number => timers.size + immediates.length;

/** What has been thrown and nobody has caught. */
export const uncaught = (): readonly unknown[] => thrown;
export const addUncaught = (error: unknown): void => { thrown.push(error); };

/** Calls `run` as the event loop does: then node does what follows from it, all ticks and what they add, before this goes on. */
export async function inLoop(run: () => void): Promise<void> {
  callbacks += 1;
  try {
    run();
  } catch (error) {
    addUncaught(error);
  }
  await new Promise<void>((resolve) => process.nextTick(resolve));
}

/** One turn of the event loop: runs the immediates that there are by now. */
export async function turn(): Promise<void> {
  turns += 1;
  due = immediates;
  immediates = [];
  // One of them may take back a later one.
  for (let next = due.shift(); next !== undefined; next = due.shift()) await inLoop(next.run);
}

/** Turns until nothing is to be done without a client or time. */
export async function settle(): Promise<void> {
  for (let count = 0; immediates.length > 0; count += 1) {
    if (count === MAX_TURNS) throw new Error(`After ${MAX_TURNS} turns of the event loop there is still something to do.`);
    await turn();
  }
}

/** Lets `ms` pass, or less: until `isEnough`, which is asked after each timer. */
export async function pass(ms: number, isEnough: () => boolean = () => false): Promise<void> {
  await settle();
  if (isEnough()) return;
  for (const run of timers.pass(ms)) {
    await inLoop(run);
    await settle();
    if (isEnough()) return;
  }
}
