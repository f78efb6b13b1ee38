// The handler of one request: it may wait for a seat, then it runs, then it has ended. In any case, there is one reply.
import { HANDLER_MS } from '../http/refusals.ts';
import { unexpectedProblem, type Reply } from '../http/reply.ts';
import { HttpRequest, type ABORTS } from '../http/request.ts';
import type { Route } from '../http/router.ts';

/** Whom a handler works for. */
type Caller = {
  readonly write: (reply: Reply) => void; // throws if that is no reply
  readonly failed: (error: unknown) => void; // a reply that says so follows
};

export class Handling {
  readonly #request: HttpRequest;
  readonly #route: Route;
  readonly #caller: Caller;
  state: 'waiting' | 'running' | 'ended' = 'waiting'; // first for a seat
  #client = ''; // that has its seat
  #leftMs: number; // to wait and to run
  #giveUpWait: (() => void) | undefined;
  whenEnded: (() => void) | undefined; // is called when it has run, and its reply has been written

  constructor(request: HttpRequest, route: Route, caller: Caller) {
    this.#request = request;
    this.#route = route;
    this.#caller = caller;
    this.#leftMs = route.timeLimitMs ?? HANDLER_MS;
  }

  /** Calls the handler, at once or when there is a seat. For seats, clients take turns. */
  start(clientOf: (remoteAddress: string | undefined) => string): void {
    const { seats } = this.#route;
    if (seats === undefined) return this.#run();
    this.#client = clientOf(this.#request.remoteAddress);
    this.#giveUpWait = seats.take(this.#client, () => this.#run());
  }

  #run(): void {
    this.state = 'running';
    try {
      const reply = this.#route.handler(this.#request);
      if (!(reply instanceof Object && 'then' in reply)) this.#end(reply); // without waiting for a promise
      else Promise.resolve(reply).then((late) => this.#end(late)).catch((error) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#caller.failed(error);
    this.#end(unexpectedProblem(this.#request.path));
  }

  // If what the handler has returned is no reply, this is called again with the 500.
  #end(reply: Reply): void {
    const { seats } = this.#route;
    // Later: otherwise, handlers that return at once would call each other, deeper and deeper.
    if (this.state === 'running' && seats !== undefined) setImmediate(seats.giveBack, this.#client);
    this.state = 'ended';
    this.#caller.write(reply);
    this.whenEnded?.();
  }

  /** Whether it has had more time than it may. To be asked every `ms` milliseconds: so late is the answer at most. */
  isTooSlow(ms: number): boolean {
    this.#leftMs -= ms;
    return this.#leftMs <= -ms; // it was over before that
  }

  /** Tells a handler that runs. One that waits is never called. */
  abort(why: keyof typeof ABORTS): void {
    if (this.state === 'running') HttpRequest.abort(this.#request, why);
    if (this.state !== 'waiting') return;
    this.#giveUpWait?.();
    this.state = 'ended';
  }
}
