// The replies that wait for their turn: a client that pipelines requests (RFC 9112 9.3.2) and reads no
// replies makes node keep some KiB for each, and node stops reading only after thousands of them.
import type { Socket } from 'node:net';
import type { Response } from './incoming-request.ts';
import { cutOff } from './cut-off.ts';

export type Backlog = {
  /** Takes note of a response that cannot go out yet because earlier ones on its connection have not left. */
  readonly add: (socket: Socket, response: Response) => void;
};

/**
 * A backlog of at most `max` responses, over all connections of a server. When there are more, the
 * connection with the most of them is cut, and `onCut` is told.
 */
export function createBacklog(max: number, onCut: () => void): Backlog {
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
    const [socket] = Array.from(waiting).reduce((greatest, entry) => (entry[1] > greatest[1] ? entry : greatest));
    forget(socket);
    cutOff(socket);
    onCut();
  }

  return {
    add: (socket, response) => {
      if (!waiting.has(socket)) socket.once('close', () => forget(socket));
      change(socket, 1);
      response.once('finish', () => {
        if (waiting.has(socket)) change(socket, -1);
      });
      if (total > max) cutGreatest();
    },
  };
}
