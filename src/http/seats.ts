// Seats: how many handlers may run at once, of routes that share what is scarce, such as connections to a database.
// Clients take turns for them, as in turns.ts (not to be imported here): 900 requests of one get no more than 2 do.
// Turns count starts, not time: so a quarter of the seats, at least one of two, is for clients that hold none.
import { AsyncResource } from 'node:async_hooks';

export type Seats = ReturnType<typeof createSeats>;

/** So many seats, for all routes that have this value. */
export function createSeats(count: number) {
  const reserved = count < 2 ? 0 : Math.max(1, Math.floor(count / 4));
  const line = new Map<string, Set<() => void>>(); // who waits, by client; the one whose turn it is in front
  const held = new Map<string, number>(); // by each client that holds any
  let free = count;
  let longestMs = 0; // of all waits

  const mayTake = (client: string) => free > (held.has(client) ? reserved : 0);

  function takeOne(client: string): void {
    free -= 1;
    held.set(client, (held.get(client) ?? 0) + 1);
  }

  return {
    /** Calls `start` when this client has a seat: at once, or later. Then it returns what to call to give that up. */
    take(client: string, start: () => void): (() => void) | undefined {
      if (mayTake(client)) { // then it has nobody in the line
        takeOne(client);
        start();
        return undefined;
      }
      const since = performance.now();
      const bound = AsyncResource.bind(() => { // not to the AsyncLocalStorage context of whoever gives a seat back
        longestMs = Math.max(longestMs, performance.now() - since);
        start();
      });
      const queue = line.get(client) ?? new Set();
      line.set(client, queue.add(bound));
      return () => {
        queue.delete(bound);
        if (queue.size === 0) line.delete(client);
      };
    },
    /** A handler of this client has ended. Who is first of those that may have a seat gets it, and goes to the end. */
    giveBack(client: string): void {
      const left = (held.get(client) ?? 0) - 1;
      if (left > 0) held.set(client, left);
      else held.delete(client);
      free += 1;
      for (const [next, queue] of line) {
        if (free === 0) return;
        const [first] = queue;
        if (first === undefined || !mayTake(next)) continue; // it stays in front
        queue.delete(first);
        line.delete(next);
        if (queue.size > 0) line.set(next, queue);
        takeOne(next);
        first();
      }
    },
    /** The longest time in ms for which a request has waited for a seat, since this was last called. */
    longestWait(): number {
      const waitedMs = longestMs;
      longestMs = 0;
      return waitedMs;
    },
  };
}
