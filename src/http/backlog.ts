// The queued replies: those behind an earlier reply on their connection that has not left. A client that pipelines
// requests (RFC 9112 9.3.2) and reads no replies makes node keep some KiB for each, and node stops reading only after
// thousands of them.
import type { Socket } from 'node:net';
import type { Response } from './incoming-request.ts';

/**
 * Counts responses that are queued, or that belong to requests after the last one. When there are more than `max` of them
 * on all connections together, `cutOff` is called with the connection that has the most of them, and their number there.
 */
export function createBacklog(max: number, cutOff: (socket: Socket, count: number) => void) {
  const queued = new Map<Socket, number>(); // how many, for each connection that has had any
  let total = 0;

  function change(socket: Socket, by: number): void {
    queued.set(socket, (queued.get(socket) ?? 0) + by);
    total += by;
  }

  function forget(socket: Socket): void {
    total -= queued.get(socket) ?? 0;
    queued.delete(socket);
  }

  function cutGreatest(): void {
    const [socket, count] = Array.from(queued).reduce((greatest, entry) => (entry[1] > greatest[1] ? entry : greatest));
    forget(socket);
    cutOff(socket, count);
  }

  return {
    add: (socket: Socket, response: Response): void => {
      if (!queued.has(socket)) socket.once('close', () => forget(socket));
      change(socket, 1);
      response.once('finish', () => {
        if (queued.has(socket)) change(socket, -1);
      });
      if (total > max) cutGreatest();
    },
  };
}

export type Backlog = ReturnType<typeof createBacklog>;
