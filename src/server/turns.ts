// Whose turn is next. In each iteration of the event loop, short reads are consumed as they arrive until they have used up a budget. What
// remains waits, and waiting clients take turns: one with 900 connections gets as much as one with a single connection (fair queueing).
// They get a quarter of the budget on top of it in each iteration, so each iteration is short, and no client makes others wait long.

/** The budget, in bytes: about 2 ms of work, whatever the bytes are. */
export const BUDGET = 64 * 1024;
/** After this many turns of all clients together, each client's count of turns is halved. */
export const AGING_TURNS = 8 * 1024;

type Task = () => void; // what a client waits for: it is called in one of the client's turns

/** The kinds of tasks of a client. They take turns, too, so that none waits for all of another kind. */
export type Kind = 'short' | 'long' | 'continued' | 'handshake';

/** A client's tasks: by kind, the kinds in the order of their turns, the tasks of each kind in order of arrival. `turns` is how many turns
 * it has had lately, and `rank` is the value of `turns` at its latest turn that did not continue a request. */
type Client = { readonly kinds: Map<Kind, Set<Task>>; turns: number; rank: number; level: Set<Client> | undefined };

export class Turns {
  readonly #budget;
  readonly #known = new Map<string, Client>(); // those that wait, or have had turns lately
  readonly #round = new Set<Client>(); // those that wait, in the order of their turns
  // The same clients by rank: 0, 1, and so on to 31 or more. Every other turn is for one with the lowest: a client that asks for little
  // waits only briefly, however many ask for all that they can get (as in RFC 8290 4.2).
  readonly #levels = Array.from({ length: 32 }, () => new Set<Client>());
  #count = 0; // turns since the counts were last halved
  #spent = 0; // in this iteration of the event loop
  readonly #schedule;
  #next: object | undefined; // what `#schedule` returned

  /** `budget` is in bytes. `schedule` calls its argument when the next turns are due: by default, in each iteration. */
  constructor(budget = BUDGET, schedule: (run: () => void) => object = setImmediate) {
    this.#budget = budget;
    this.#schedule = schedule;
  }

  /** Whether a short read may go ahead as it arrives: nobody is waiting, and the budget is not used up. */
  get isFree(): boolean { return this.#round.size === 0 && this.#spent < this.#budget; }

  /** Counts `cost`, in bytes, against the budget of this iteration. */
  spend(cost: number): void {
    this.#spent += cost;
    this.#next ??= this.#schedule(this.#run);
  }

  /** Has `task` called in one of the client's turns, unless that task is already waiting. */
  wait(name: string, task: Task, kind: Kind = 'long'): void {
    const client: Client = this.#known.get(name) ?? { kinds: new Map(), turns: 0, rank: 0, level: undefined };
    for (const tasks of client.kinds.values()) if (tasks.has(task)) return;
    client.kinds.set(kind, (client.kinds.get(kind) ?? new Set()).add(task));
    this.#known.set(name, client);
    this.#enqueue(client);
    this.#next ??= this.#schedule(this.#run);
  }

  /** Cancels a task of a connection that has closed, so that the connection is not kept in memory until its client's turn. */
  cancel(name: string, task: Task): void {
    const client = this.#known.get(name);
    if (client === undefined) return;
    for (const [kind, tasks] of client.kinds) if (tasks.delete(task) && tasks.size === 0) client.kinds.delete(kind);
    if (client.kinds.size > 0) return;
    this.#dequeue(client);
    if (client.turns === 0) this.#known.delete(name);
  }

  #dequeue(client: Client): void {
    this.#round.delete(client);
    client.level?.delete(client);
    client.level = undefined;
  }

  #enqueue(client: Client): void {
    this.#round.add(client);
    client.level ??= (this.#levels[client.rank] ?? this.#levels.at(-1))?.add(client);
  }

  readonly #run = (): void => {
    const limit = this.#spent + this.#budget / 4; // even if short reads have used up the budget
    while (this.#round.size > 0 && this.#spent < limit) this.#runNext();
    this.#spent = 0;
    this.#next = this.#round.size > 0 ? this.#schedule(this.#run) : undefined;
  };

  // Odd turns are for the first client of the lowest rank, even ones for the first of the round. Each loop is for the first element only.
  #runNext(): void {
    if ((this.#count += 1) === AGING_TURNS) this.#age();
    for (const client of (this.#count % 2 === 1 && this.#levels.find((level) => level.size > 0)) || this.#round) {
      this.#dequeue(client);
      for (const [kind, tasks] of client.kinds) {
        client.turns += 1;
        if (kind !== 'continued') client.rank = client.turns;
        for (const task of tasks) {
          client.kinds.delete(kind);
          tasks.delete(task);
          if (tasks.size > 0) client.kinds.set(kind, tasks);
          if (client.kinds.size > 0) this.#enqueue(client);
          task();
          break;
        }
        break;
      }
      break;
    }
  }

  #age(): void {
    this.#count = 0;
    for (const [name, client] of this.#known) {
      client.rank >>= 1;
      if ((client.turns >>= 1) === 0 && client.kinds.size === 0) this.#known.delete(name);
    }
  }
}
