// The end of a connection whose client has sent too much.
import type { Socket } from 'node:net';

/**
 * Ends a connection at once. When it closes, node makes two errors for each request that is not over;
 * for thousands of requests their stack traces alone would keep everybody else waiting, and nobody sees
 * them.
 */
export function cutOff(socket: Socket): void {
  const { stackTraceLimit } = Error;
  socket.prependOnceListener('close', () => {
    Error.stackTraceLimit = 0;
  });
  socket.once('close', () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  socket.destroy();
}
