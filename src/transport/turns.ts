// Whose turn is next. Each iteration of the event loop has a budget of work. What does not go ahead at once waits in a queue, and queues
// take turns (round robin): a client with 900 connections gets as much as one with a single connection.

/** The budget of an iteration, in bytes: about 2 ms of work, whatever the bytes are. */
export const BUDGET = 64 * 1024;

type Task = () => void;

/** A client has a few queues, which are names made of the client's and one of these words, so that none of them waits for the others. */
export type Kind = 'short' | 'long' | 'handshake' | 'closing';

export class Turns {
  readonly #budget;
  readonly #schedule;
  readonly #queues = new Map<string, Set<Task>>(); // those that are not empty, in the order of their turns
  #spent = 0; // in this iteration
  #next: object | undefined; // what `#schedule` returned, until the next turns are over

  /** `budget` is in bytes. `schedule` calls its argument when the next turns are due: by default, at the end of each iteration. */
  constructor(budget = BUDGET, schedule: (run: () => void) => object = setImmediate) {
    this.#budget = budget;
    this.#schedule = schedule;
  }

  /** Whether a little may be done at once: nobody is waiting, and the budget is not used up. */
  get isFree(): boolean { return this.#queues.size === 0 && this.#spent < this.#budget; }

  /** Counts `cost`, in bytes, against the budget of this iteration. */
  spend(cost: number): void {
    this.#spent += cost;
    this.#next ??= this.#schedule(this.#run);
  }

  /** Has `task` done in a turn of one of the queues of `client`, unless it waits there already. */
  enqueue(client: string, kind: Kind, task: Task): void {
    const queue = `${client} ${kind}`;
    this.#queues.set(queue, (this.#queues.get(queue) ?? new Set()).add(task)); // one that is there keeps its place
    this.#next ??= this.#schedule(this.#run);
  }

  /** Takes `task` out of its queue, if it is there, so that a connection that has closed is not kept in memory until its turn. */
  cancel(client: string, kind: Kind, task: Task): void {
    const queue = `${client} ${kind}`;
    const tasks = this.#queues.get(queue);
    if (tasks?.delete(task) === true && tasks.size === 0) this.#queues.delete(queue);
  }

  // The first queue has its first task done, and becomes the last one: a loop over a Map also visits entries that are set meanwhile.
  readonly #run = (): void => {
    for (const [queue, tasks] of this.#queues) {
      this.#queues.delete(queue);
      for (const task of tasks) {
        tasks.delete(task);
        if (tasks.size > 0) this.#queues.set(queue, tasks);
        task();
        break;
      }
      if (this.#spent >= this.#budget) break;
    }
    this.#spent = 0; // at least one task has been done, whatever had been spent before
    this.#next = this.#queues.size > 0 ? this.#schedule(this.#run) : undefined;
  };
}
