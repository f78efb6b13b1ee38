// Seats: how many handlers may run at once, of routes that share what is scarce, such as connections to a database. Who
// finds no seat takes turns by client, as in turns.ts (which this folder must not import): one that sends 900 requests
// gets no more of them than one that sends two.
import { AsyncResource } from 'node:async_hooks';

export type Seats = ReturnType<typeof createSeats>;

type Waiting = { readonly start: () => void; readonly since: number };

/** So many seats, for all routes that have this value. `now` is a clock in milliseconds. */
export function createSeats(count: number, now = () => performance.now()) {
  const line = new Map<string, Set<Waiting>>(); // by client, the one whose turn it is in front
  let free = count;
  let longestMs = 0;

  return {
    /** Calls `start` when this client has a seat: at once, or later. Then it returns what to call to give that up. */
    take(client: string, start: () => void): (() => void) | undefined {
      if (free > 0) {
        free -= 1;
        start();
        return undefined;
      }
      // Bound: not in the AsyncLocalStorage context of whoever gives a seat back.
      const one: Waiting = { start: AsyncResource.bind(start), since: now() };
      const queue = line.get(client) ?? new Set();
      line.set(client, queue.add(one));
      return () => {
        queue.delete(one);
        if (queue.size === 0) line.delete(client);
      };
    },
    /** A handler has ended. The first client gets its seat, for its oldest request, and goes behind the others. */
    giveBack(): void {
      const [[client, queue] = ['', new Set<Waiting>()]] = line;
      const [first] = queue;
      if (first === undefined) {
        free += 1;
        return;
      }
      queue.delete(first);
      line.delete(client);
      if (queue.size > 0) line.set(client, queue);
      longestMs = Math.max(longestMs, now() - first.since);
      first.start();
    },
    /** The longest wait for a seat since this was last asked, in milliseconds. */
    longestWait(): number {
      const ms = longestMs;
      longestMs = 0;
      return ms;
    },
  };
}
