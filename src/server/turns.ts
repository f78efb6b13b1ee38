// Who reads next. In each iteration of the event loop, short reads are consumed as they arrive until they have cost a budget. Everything
// else waits, and clients that wait take turns: a client with 900 connections gets as much as a client with one (fair queueing). Those who
// wait get a quarter of the budget in each iteration, so it is short, and no client makes others wait.

/** The budget, in bytes: about 2 ms of work, whatever the bytes are. */
export const BUDGET = 64 * 1024;
const FRESH_TURNS = 8; // how many turns a client is fresh for: enough for a new connection over TLS and a request with content

type Task = () => void; // what a client waits for: it is called in a turn of the client

/** The kinds of tasks of a client. They take turns, too, so that a short one does not wait for all long ones, and begun work gets done. */
export type Kind = 'short' | 'long' | 'begun';

/** What a client waits for: by kind, in the order of their turns, each first come first served. And how many turns the client has had. */
type Queue = { readonly kinds: Map<Kind, Set<Task>>; turns: number };

export class Turns {
  readonly #cost;
  // Clients in the order of their turns. Every other turn is for fresh ones, which have had few: a client that asks for little waits only
  // briefly, however many ask for all that they can get (RFC 8290 4.2). One that has nothing to do for a round is fresh again.
  readonly #fresh = new Map<string, Queue>();
  readonly #others = new Map<string, Queue>();
  #isForFresh = false; // whether the latest turn was for a fresh client
  #waiting = 0; // how many tasks
  #spent = 0; // in this iteration of the event loop
  readonly #schedule;
  #next: object | undefined; // what it returned

  /** `cost` is the budget, in bytes. `schedule` calls its argument when the next turns are due: in each iteration. */
  constructor(cost = BUDGET, schedule: (run: () => void) => object = setImmediate) {
    this.#cost = cost;
    this.#schedule = schedule;
  }

  /** Whether a short read may go ahead as it arrives: nobody waits, and the budget is not used up. */
  get isFree(): boolean { return this.#waiting === 0 && this.#spent < this.#cost; }

  /** Counts `cost`, in bytes, against the budget of this iteration. */
  spend(cost: number): void {
    this.#spent += cost;
    this.#next ??= this.#schedule(this.#run);
  }

  /** Calls `task` when it is the client's turn, unless it is waiting already. */
  wait(client: string, task: Task, kind: Kind = 'long'): void {
    const known = this.#others.get(client) ?? this.#fresh.get(client);
    const queue: Queue = known ?? { kinds: new Map(), turns: 0 };
    if (known === undefined) this.#fresh.set(client, queue);
    for (const tasks of queue.kinds.values()) if (tasks.has(task)) return;
    const tasks = queue.kinds.get(kind) ?? new Set();
    queue.kinds.set(kind, tasks.add(task));
    this.#waiting += 1;
    this.#next ??= this.#schedule(this.#run);
  }

  readonly #run = (): void => {
    const limit = this.#spent + this.#cost / 4; // at least one task, even if short reads have used up a whole budget
    while (this.#waiting > 0 && this.#spent < limit) this.#runNext();
    this.#spent = 0;
    this.#next = this.#waiting > 0 ? this.#schedule(this.#run) : undefined;
  };

  // Each loop is for the first element only. A client that has nothing to do waits for a round among the others, and is fresh again then.
  #runNext(): void {
    this.#isForFresh = this.#others.size === 0 || (this.#fresh.size > 0 && !this.#isForFresh);
    const clients = this.#isForFresh ? this.#fresh : this.#others;
    for (const [client, queue] of clients) {
      clients.delete(client);
      queue.turns += 1;
      const hasTask = queue.kinds.size > 0;
      const staysFresh = this.#isForFresh && hasTask && queue.turns < FRESH_TURNS;
      if (hasTask || this.#isForFresh) (staysFresh ? this.#fresh : this.#others).set(client, queue);
      for (const [kind, tasks] of queue.kinds) {
        queue.kinds.delete(kind);
        for (const task of tasks) {
          tasks.delete(task);
          if (tasks.size > 0) queue.kinds.set(kind, tasks);
          this.#waiting -= 1;
          task();
          break;
        }
        break;
      }
      break;
    }
  }
}
