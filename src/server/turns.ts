// Who reads next. In each turn of the event loop, reads share one budget. What exceeds it waits, and clients that wait take turns: a client
// with 900 connections gets as much as a client with one (fair queueing). So a turn is short, and no client makes others wait.

/** What all reads of a turn may cost, in bytes: 1 to 3 ms of work, whatever the bytes are. */
export const TURN_COST = 64 * 1024;

/** What a client waits for: that its turn comes, in which this function is called. */
type Task = () => void;

export class Turns {
  readonly #cost: number;
  readonly #waiting = new Map<string, Set<Task>>(); // by client, in the order of their turns
  #budget: number; // of this turn
  #next: NodeJS.Immediate | undefined;

  /** `cost` is the budget of a turn, in bytes. */
  constructor(cost = TURN_COST) {
    this.#cost = this.#budget = cost;
  }

  /** Whether a short read may go ahead as it arrives: nobody waits, and the budget is not used up. */
  get isFree(): boolean { return this.#waiting.size === 0 && this.#budget > 0; }

  /** Takes `cost`, in bytes, from the budget of this turn. */
  spend(cost: number): void {
    this.#budget -= cost;
    this.#next ??= setImmediate(this.#run);
  }

  /** Calls `task` when it is the client's turn, unless it waits already. Within a client, first come is first served. */
  wait(client: string, task: Task): void {
    const tasks = this.#waiting.get(client);
    if (tasks === undefined) this.#waiting.set(client, new Set([task]));
    else tasks.add(task);
    this.#next ??= setImmediate(this.#run);
  }

  /** Calls `task` now if the turn is free, or else when it is the client's turn. */
  runOrWait(client: string, task: Task): void {
    if (this.isFree) task();
    else this.wait(client, task);
  }

  // A client that is put after the others comes up again in the same loop, until the budget is used up.
  readonly #run = (): void => {
    for (const [client, tasks] of this.#waiting) {
      if (this.#budget <= 0) break;
      const [task] = tasks;
      this.#waiting.delete(client);
      if (tasks.size > 1) this.#waiting.set(client, tasks);
      if (task !== undefined) tasks.delete(task);
      task?.();
    }
    this.#budget = this.#cost;
    this.#next = this.#waiting.size > 0 ? setImmediate(this.#run) : undefined;
  };
}
