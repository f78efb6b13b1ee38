// The replies that wait for their turn: a client that pipelines requests (RFC 9112 9.3.2) and reads no
// replies makes node keep some KiB for each, and node stops reading only after thousands of them.
import type { Socket } from 'node:net';
import type { Response } from './incoming-request.ts';

/**
 * Counts the responses that cannot go out yet, because earlier ones on their connection have not left. When
 * more than `max` of them wait on all connections together, `cutOff` ends the connection with the most of them.
 */
export function createBacklog(max: number, cutOff: (socket: Socket, count: number) => void) {
  const waiting = new Map<Socket, number>(); // how many, for each connection that has had any
  let total = 0;

  function change(socket: Socket, by: number): void {
    waiting.set(socket, (waiting.get(socket) ?? 0) + by);
    total += by;
  }

  function forget(socket: Socket): void {
    total -= waiting.get(socket) ?? 0;
    waiting.delete(socket);
  }

  function cutGreatest(): void {
    const [socket, count] = Array.from(waiting).reduce((greatest, entry) => (entry[1] > greatest[1] ? entry : greatest));
    forget(socket);
    cutOff(socket, count);
  }

  return {
    /** No response of this connection waits any more. */
    forget,
    add: (socket: Socket, response: Response): void => {
      if (!waiting.has(socket)) socket.once('close', () => forget(socket));
      change(socket, 1);
      response.once('finish', () => {
        if (waiting.has(socket)) change(socket, -1);
      });
      if (total > max) cutGreatest();
    },
  };
}

export type Backlog = ReturnType<typeof createBacklog>;
