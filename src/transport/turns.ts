// Whose turn is next. Each iteration of the event loop has a budget of work. What does not go ahead at once waits in a queue, and queues
// take turns (round robin): a client with 900 connections gets as much as one with a single connection.

/** The budget of an iteration, in bytes: about 2 ms of work, whatever the bytes are. */
export const BUDGET = 64 * 1024;

export type Turns = ReturnType<typeof createTurns>;

/** `budget` is in bytes. `schedule` calls its argument when the next turns are due: by default, at the end of each iteration. */
export function createTurns(budget = BUDGET, schedule: (run: () => void) => object = setImmediate) {
  const queues = new Map<string, Set<() => void>>(); // those that are not empty, in the order of their turns
  let spent = 0; // in this iteration
  let next: object | undefined; // what `schedule` returned, until the next turns are over

  // The first queue has its first task done, and becomes the last one: a loop over a Map also visits entries that are set meanwhile.
  function run(): void {
    for (const [queue, tasks] of queues) {
      queues.delete(queue);
      for (const task of tasks) {
        tasks.delete(task);
        if (tasks.size > 0) queues.set(queue, tasks);
        task();
        break;
      }
      if (spent >= budget) break;
    }
    spent = 0; // at least one task has been done, whatever had been spent before
    next = queues.size > 0 ? schedule(run) : undefined;
  }

  return {
    /** Whether a little may be done at once: nobody is waiting, and the budget is not used up. */
    isFree: (): boolean => queues.size === 0 && spent < budget,
    /** Counts `cost`, in bytes, against the budget of this iteration. */
    spend: (cost: number): void => {
      spent += cost;
      next ??= schedule(run);
    },
    /** Has `task` done in a turn of `queue`, unless it waits there already. A client has a few queues, so that none waits for another. */
    enqueue: (queue: string, task: () => void): void => {
      queues.set(queue, (queues.get(queue) ?? new Set()).add(task)); // one that is there keeps its place
      next ??= schedule(run);
    },
    /** Takes `task` out of its queue, if it is there, so that a connection that has closed is not kept in memory until its turn. */
    cancel: (queue: string, task: () => void): void => {
      const tasks = queues.get(queue);
      if (tasks?.delete(task) === true && tasks.size === 0) queues.delete(queue);
    },
  };
}
