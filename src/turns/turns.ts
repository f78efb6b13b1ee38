// Whose turn it is. An iteration of the event loop has 1 ms for what may go ahead at once, and 1 ms for turns.
// What does not go ahead waits in a queue of its client, and queues take turns: 900 connections get as much as a few.
import { AsyncResource } from 'node:async_hooks';

const AHEAD_MS = 1;
const TURNS_MS = 1;
const ACCEPTS_MS = 0.25; // how long connections are accepted, at most, before another turn is taken

/** Who waits for a turn. */
export type Waiting = { takeTurn(): void };

/** Those of one client who wait. It is in line once, however many they are. */
export type Queue = { readonly waiting: Set<Waiting>; isInLine: boolean };

/** Those of one client: what is short does not wait for what is long. */
export type Queues = { readonly short: Queue; readonly long: Queue };

export const createQueue = (): Queue => ({ waiting: new Set(), isInLine: false });

export type Turns = ReturnType<typeof createTurns>;

/** `now` is a clock in milliseconds. `schedule` calls its argument at the end of the iteration of the event loop. */
export function createTurns(now = () => performance.now(), schedule: (run: () => void) => unknown = setImmediate) {
  const line: Queue[] = [];
  const runForNobody = AsyncResource.bind(run); // not in the AsyncLocalStorage context of whoever has scheduled it
  let isScheduled = false;
  let aheadSince: number | undefined; // when something first went ahead in this iteration
  let isOneEnough = false;
  let isAccepting = false; // in this iteration
  let lastTurns = 0; // when they ended

  function scheduleRun(): void {
    if (!isScheduled) schedule(runForNobody);
    isScheduled = true;
  }

  function run(): void {
    isScheduled = false;
    aheadSince = undefined;
    try {
      if (line.length > 0 && (!isAccepting || now() - lastTurns >= ACCEPTS_MS)) takeTurns();
    } finally { // whatever a turn throws
      isOneEnough = false;
      isAccepting = false;
      if (line.length > 0) scheduleRun();
    }
  }

  function takeTurns(): void {
    const end = now() + TURNS_MS;
    do takeTurn();
    while (line.length > 0 && !isOneEnough && now() < end);
    lastTurns = now();
  }

  // In the first queue, the first who waits has a turn, and the queue goes behind the others.
  function takeTurn(): void {
    const queue = line.shift();
    if (queue === undefined) return;
    const [first] = queue.waiting;
    if (first !== undefined) queue.waiting.delete(first);
    queue.isInLine = queue.waiting.size > 0;
    if (queue.isInLine) line.push(queue);
    first?.takeTurn();
  }

  return {
    /** Whether a little may be done at once: nobody waits, and less than 1 ms of this iteration has gone to such. */
    startAhead(): boolean {
      if (line.length > 0 || isAccepting) return false;
      if (aheadSince !== undefined) return now() - aheadSince < AHEAD_MS;
      aheadSince = now();
      scheduleRun(); // even if nobody waits then: it marks the end of the iteration
      return true;
    },
    /** `one` gets a turn when that of its queue comes. `queue.waiting.delete(one)` undoes it. */
    wait(queue: Queue, one: Waiting): void {
      queue.waiting.add(one);
      if (!queue.isInLine) line.push(queue);
      queue.isInLine = true;
      scheduleRun();
    },
    /**
     * A connection was accepted, so others may wait in the kernel's queue, in which clients take no turns. To get them
     * out of it soon, nothing goes ahead in this iteration, and at most one turn is taken.
     */
    accepted(): void {
      isAccepting = true;
      isOneEnough = true;
      scheduleRun();
    },
    /** The next turns end after one, because it has brought much to do. */
    endAfterOne(): void {
      isOneEnough = true;
    },
  };
}
