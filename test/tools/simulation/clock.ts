// Time and iterations of the event loop in the hands of the simulation: it replaces the global timers and the clock of this process.
//
// What node does by itself between two callbacks (process.nextTick, promises) stays node's. It has an order of its own, which is
// always the same.

type Immediate = { readonly run: () => void };
type Timer = Immediate & { due: number; readonly everyMs: number | undefined; readonly unref: () => Timer };

/** When something has happened. `order` grows with each moment. */
export type Moment = { readonly order: number; readonly ms: number; readonly iteration: number };

const MAX_ITERATIONS = 1_000;

const timers = new Set<Timer>();
const immediates = new Set<Immediate>(); // for the next iteration
const due = new Set<Immediate>(); // in this iteration
let nowMs = 0, order = 0, iterations = 0;

/** Replaces the timers and the clock of this process, and begins at time 0 without any timer. */
export function resetTime(): void {
  Object.assign(performance, { now });
  Object.assign(globalThis, {
    setTimeout: (run: () => void, ms = 0) => addTimer(run, ms, undefined),
    setInterval: (run: () => void, ms = 0) => addTimer(run, ms, ms),
    clearTimeout: (timer: Timer) => timers.delete(timer),
    clearInterval: (timer: Timer) => timers.delete(timer),
    setImmediate(run: () => void) {
      const immediate = { run };
      immediates.add(immediate);
      return immediate;
    },
    clearImmediate: (immediate: Immediate) => immediates.delete(immediate) || due.delete(immediate),
  });
  for (const all of [timers, immediates, due]) all.clear();
  nowMs = order = iterations = 0;
}

function addTimer(run: () => void, ms: number, everyMs: number | undefined): Timer {
  const timer: Timer = { run, due: nowMs + ms, everyMs, unref: () => timer };
  timers.add(timer);
  return timer;
}

/** This moment. */
export function moment(): Moment {
  order += 1;
  return { order, ms: nowMs, iteration: iterations };
}

/** Whether both have happened, `one` after `other`. */
export const isAfter = (one: Moment | undefined, other: Moment | undefined): boolean =>
  one !== undefined && other !== undefined && one.order > other.order;

/** Milliseconds since the sequence began. */
export const now = (): number => nowMs;

/** How many timers and immediates there are. */
export const pending = (): number => timers.size + immediates.size;

/** Calls `run` as the event loop does: then node does what follows from it, all ticks and what they add, before this goes on. */
export async function inLoop(run: () => void): Promise<void> {
  run();
  await new Promise<void>((resolve) => process.nextTick(resolve));
}

/** One iteration of the event loop: runs the immediates that there are by now, except those that another one takes back. */
export async function iteration(): Promise<void> {
  iterations += 1;
  for (const immediate of immediates) due.add(immediate);
  immediates.clear();
  for (const immediate of due) {
    due.delete(immediate);
    await inLoop(immediate.run);
  }
}

// Goes on until nothing is to be done without a client or time.
async function settle(): Promise<void> {
  for (let count = 0; immediates.size > 0; count += 1) {
    if (count === MAX_ITERATIONS) throw new Error(`After ${MAX_ITERATIONS} iterations of the event loop there is still something to do.`);
    await iteration();
  }
}

// The first timer that is due then.
const dueBy = (ms: number) => Array.from(timers).filter(({ due }) => due <= ms).sort((a, b) => a.due - b.due)[0];

/** Lets `ms` pass. Of what the timers at the end have made due, nothing is done yet. */
export const reach = (ms: number): Promise<void> => advance(ms, false, () => false);

/** Lets `ms` pass, or less: until `isEnough`, which is asked after all timers that are due at once. */
export const pass = (ms: number, isEnough: () => boolean = () => false): Promise<void> => advance(ms, true, isEnough);

async function advance(ms: number, settlesAtEnd: boolean, isEnough: () => boolean): Promise<void> {
  const until = nowMs + ms;
  for (;;) {
    if (dueBy(nowMs) === undefined && (settlesAtEnd || nowMs < until)) {
      await settle();
      if (isEnough()) return;
    }
    const next = dueBy(until);
    if (next === undefined) break;
    nowMs = next.due;
    if (next.everyMs === undefined) timers.delete(next);
    else next.due += next.everyMs;
    await inLoop(next.run);
  }
  nowMs = until;
}
