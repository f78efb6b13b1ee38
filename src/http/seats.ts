// Seats: how many handlers may run at once, of routes that share what is scarce, such as connections to a database.
// Clients take turns for them, as in turns.ts (not to be imported here): 900 requests of one get no more than 2 do.
// Turns count starts, not time: so a quarter of the seats, at least one of two, is for clients that hold none.
import { AsyncResource } from 'node:async_hooks';

export type Seats = ReturnType<typeof createSeats>;

/** So many seats, for all routes that have this value. */
export function createSeats(count: number) {
  const reserved = count < 2 ? 0 : Math.max(1, Math.floor(count / 4));
  const line = new Map<string, Set<() => void>>(); // who waits, by client; the one whose turn it is in front
  const holders: string[] = []; // the client of each seat that is taken
  let longestMs = 0; // of all waits

  // The first client of those that may have a seat gets it, for its oldest request, and goes behind the others.
  function giveOut(): void {
    for (const [client, queue] of line) {
      const free = count - holders.length;
      if (free === 0) return;
      const [first] = queue;
      if (first === undefined || (free <= reserved && holders.includes(client))) continue; // it stays where it is
      queue.delete(first);
      line.delete(client);
      if (queue.size > 0) line.set(client, queue);
      holders.push(client);
      first();
    }
  }

  return {
    /** Calls `start` when this client has a seat: at once, or later. Until then, what it returns gives that up. */
    take(client: string, start: () => void): () => void {
      const since = performance.now();
      const bound = AsyncResource.bind(() => { // not to the AsyncLocalStorage context of whoever gives a seat back
        longestMs = Math.max(longestMs, performance.now() - since);
        start();
      });
      const queue = line.get(client) ?? new Set();
      line.set(client, queue.add(bound));
      giveOut();
      return () => {
        queue.delete(bound);
        if (queue.size === 0) line.delete(client);
      };
    },
    /** A handler of this client has ended. */
    giveBack(client: string): void {
      holders.splice(holders.indexOf(client), 1);
      giveOut();
    },
    /** The longest time in ms for which a request has waited for a seat, since this was last called. */
    longestWait(): number {
      const waitedMs = longestMs;
      longestMs = 0;
      return waitedMs;
    },
  };
}
