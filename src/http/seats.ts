// Seats: how many handlers may run at once, of routes that share what is scarce, such as connections to a database.
// Clients take turns for them, as in turns.ts (not to be imported here): 900 requests of one get no more than 2 do.
import { AsyncResource } from 'node:async_hooks';

export type Seats = ReturnType<typeof createSeats>;

let longestMs = 0; // of all waits for a seat

/** The longest time in ms for which a request has waited for a seat, since this was last called. */
export function longestSeatWait(): number {
  const waitedMs = longestMs;
  longestMs = 0;
  return waitedMs;
}

/** So many seats, for all routes that have this value. */
export function createSeats(count: number) {
  const line = new Map<string, Set<() => void>>(); // by client, the one whose turn it is in front
  let free = count;

  return {
    /** Calls `start` when this client has a seat: at once, or later. Then it returns what to call to give that up. */
    take(client: string, start: () => void): (() => void) | undefined {
      if (free > 0) {
        free -= 1;
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
    /** A handler has ended. The first client gets its seat, for its oldest request, and goes behind the others. */
    giveBack(): void {
      const [next] = line;
      const [first] = next?.[1] ?? [];
      if (next === undefined || first === undefined) {
        free += 1;
        return;
      }
      const [client, queue] = next;
      queue.delete(first);
      line.delete(client);
      if (queue.size > 0) line.set(client, queue);
      first();
    },
  };
}
