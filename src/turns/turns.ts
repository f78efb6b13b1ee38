// Whose turn it is. An iteration of the event loop has 1 ms for what may go ahead at once, and 1 ms for turns.
// What does not go ahead waits in a queue of its client, and queues take turns: 900 connections get as much as a few.
import { AsyncResource } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';

const SHARE_MS = 1;
const ACCEPTS_MS = 3; // how long connections are accepted, at most, before another turn is taken

/** What those of one client who wait for turns of the same kind do in them, and since when they wait. */
export type Queue = Map<() => void, number>;

export type Turns = ReturnType<typeof createTurns>;

/** `now` is a clock in milliseconds. `schedule` calls its argument at the end of the iteration of the event loop. */
export function createTurns(now = () => performance.now(), schedule: (run: () => void) => unknown = setImmediate) {
  const line = new Set<Queue>(); // those who come first are in front
  const runForNobody = AsyncResource.bind(run); // not in the AsyncLocalStorage context of whoever has scheduled it
  let isScheduled = false;
  let aheadSince: number | undefined; // when something first went ahead in this iteration
  let isOneEnough = false;
  let isAccepting = false; // in this iteration
  let lastTurns = 0; // when they ended
  let longestWaitMs = 0; // since it was last asked for

  function scheduleRun(): void {
    if (!isScheduled) schedule(runForNobody);
    isScheduled = true;
  }

  function run(): void {
    isScheduled = false;
    aheadSince = undefined;
    try {
      if (line.size > 0 && (!isAccepting || now() - lastTurns >= ACCEPTS_MS)) takeTurns();
    } finally { // whatever a turn throws
      isOneEnough = false;
      isAccepting = false;
      if (line.size > 0) scheduleRun();
    }
  }

  // The first queue has a turn, for the first in it. If others wait there, it goes to the end of the line, for later.
  function takeTurns(): void {
    let time = now();
    const end = time + SHARE_MS;
    for (const queue of line) {
      const [first] = queue;
      line.delete(queue);
      if (first === undefined) continue;
      const [takeTurn, since] = first;
      queue.delete(takeTurn);
      if (queue.size > 0) line.add(queue);
      longestWaitMs = Math.max(longestWaitMs, time - since);
      takeTurn();
      time = now();
      if (isOneEnough || time >= end) break;
    }
    lastTurns = time;
  }

  return {
    /** Admits what would be done at once, if nobody waits, and the first in this iteration began under 1 ms ago. */
    admitAhead(): boolean {
      if (line.size > 0 || isAccepting) return false;
      if (aheadSince !== undefined) return now() - aheadSince < SHARE_MS;
      aheadSince = now();
      scheduleRun(); // even if nobody waits then: it marks the end of the iteration
      return true;
    },
    /** `takeTurn` is called when the turn of its queue comes. `queue.delete(takeTurn)` undoes it. */
    wait(queue: Queue, takeTurn: () => void): void {
      queue.set(takeTurn, now());
      line.add(queue);
      scheduleRun();
    },
    /** A connection was accepted. Others may wait in the kernel's queue, which has no turns: they come first. */
    accepted(): void {
      isAccepting = true; // nothing goes ahead in this iteration
      isOneEnough = true; // and at most one turn is taken
      scheduleRun();
    },
    /** The longest time in ms for which somebody has waited for a turn, since this was last called. */
    longestWait(): number {
      const waitedMs = longestWaitMs;
      longestWaitMs = 0;
      return waitedMs;
    },
    /** Turns end after this one, or the next: there is much to do. */
    endAfterOne: (): void => { isOneEnough = true; },
  };
}
