// Timers in the hands of a player: time passes when it says so.

type Timer = { readonly run: () => void; due: number; readonly everyMs: number | undefined; readonly unref: () => Timer };

export class Timers {
  /** Milliseconds since the beginning. */
  nowMs = 0;
  readonly #all = new Set<Timer>();

  /** In place of the global functions of these names. */
  readonly functions = {
    setTimeout: (run: () => void, ms = 0) => this.#add(run, ms, undefined),
    setInterval: (run: () => void, ms = 0) => this.#add(run, ms, ms),
    clearTimeout: (timer: Timer) => this.#all.delete(timer),
    clearInterval: (timer: Timer) => this.#all.delete(timer),
  };

  get size(): number { return this.#all.size; }

  /** Lets so many milliseconds pass: what each timer runs when it is due. Time stands still after the last one that is asked for. */
  *pass(ms: number): Generator<() => void> {
    const until = this.nowMs + ms;
    for (let next = this.#nextDue(until); next !== undefined; next = this.#nextDue(until)) {
      this.nowMs = next.due;
      if (next.everyMs === undefined) this.#all.delete(next);
      else next.due += next.everyMs;
      yield next.run;
    }
    this.nowMs = until;
  }

  #nextDue(until: number): Timer | undefined {
    return Array.from(this.#all).filter(({ due }) => due <= until).sort((a, b) => a.due - b.due)[0];
  }

  #add(run: () => void, ms: number, everyMs: number | undefined): Timer {
    const timer: Timer = { run, due: this.nowMs + ms, everyMs, unref: () => timer };
    this.#all.add(timer);
    return timer;
  }
}
