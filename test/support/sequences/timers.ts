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

  /** Begins again, without any timer. */
  reset(): void {
    this.#all.clear();
    this.nowMs = 0;
  }

  get size(): number {
    return this.#all.size;
  }

  /** Goes on to the next timer that is due by then, and returns what it runs; undefined: there is none. */
  next(untilMs: number): (() => void) | undefined {
    let next: Timer | undefined;
    for (const timer of this.#all) if (timer.due <= untilMs && (next === undefined || timer.due < next.due)) next = timer;
    if (next === undefined) return undefined;
    this.nowMs = next.due;
    if (next.everyMs === undefined) this.#all.delete(next);
    else next.due += next.everyMs;
    return next.run;
  }

  #add(run: () => void, ms: number, everyMs: number | undefined): Timer {
    const timer: Timer = { run, due: this.nowMs + ms, everyMs, unref: () => timer };
    this.#all.add(timer);
    return timer;
  }
}
