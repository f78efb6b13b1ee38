// Bounds the memory for requests that node keeps. A client that pipelines requests (RFC 9112 9.3.2) and reads no replies
// makes node keep some KiB for each of them, and node stops reading only after thousands.
import type { Socket } from 'node:net';
import type { IncomingRequest, Response } from './incoming-request.ts';

/**
 * Counts requests by their responses. A request with a large head counts as several. When there are more than `max` on all
 * connections together, `cutOff` is called with the connection that has the most of them, and their number there.
 */
export function createBacklog(max: number, cutOff: (socket: Socket, count: number) => void) {
  const counts = new Map<Socket, number>(); // how many, for each connection that has had any
  let total = 0;

  function change(socket: Socket, by: number): void {
    counts.set(socket, (counts.get(socket) ?? 0) + by);
    total += by;
  }

  function forget(socket: Socket): void {
    total -= counts.get(socket) ?? 0;
    counts.delete(socket);
  }

  function cutGreatest(): void {
    const [socket, count] = Array.from(counts).reduce((greatest, entry) => (entry[1] > greatest[1] ? entry : greatest));
    forget(socket);
    cutOff(socket, count);
  }

  return {
    /** Counts a request until its response has left or its connection has closed. */
    add: (socket: Socket, response: Response): void => {
      const count = countOf(response.req);
      if (!counts.has(socket)) socket.once('close', () => forget(socket));
      change(socket, count);
      response.once('finish', () => {
        if (counts.has(socket)) change(socket, -count);
      });
      if (total > max) cutGreatest();
    },
  };
}

export type Backlog = ReturnType<typeof createBacklog>;

const REQUEST_BYTES = 7 * 1024; // a small request, its response, and node's objects for both (measured)
const TEXT_BYTES = 64; // what the name or the value of a field takes besides its bytes (measured)

/** How many small requests take as much memory as this one. The target may be in the reply once more, in a Location. */
function countOf({ url = '', rawHeaders }: IncomingRequest): number {
  const headBytes = 2 * url.length + rawHeaders.join('').length + TEXT_BYTES * rawHeaders.length;
  return 1 + Math.floor(headBytes / REQUEST_BYTES);
}
