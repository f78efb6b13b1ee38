// Cuts off a client for which node keeps too many requests.
import type { Duplex } from 'node:stream';

/**
 * Ends the connection of `socket` at once. Node has read up to 64 KiB of it, which may be thousands of requests:
 * it parses all of them, and keeps them until the connection has closed. Until then no other of `sockets` is
 * read, so that many such clients take no more memory than one.
 */
export function cutOff(socket: Duplex, sockets: Iterable<Duplex>): void {
  socket.destroy();
  const others = Array.from(sockets).filter((other) => !other.destroyed && !other.isPaused());
  for (const other of others) other.pause();
  // When the connection closes, node makes an error for each of those requests. Nobody sees these errors, but their
  // stack traces would take so long that all other connections would wait.
  const { stackTraceLimit } = Error;
  socket.prependOnceListener('close', () => {
    Error.stackTraceLimit = 0;
  });
  socket.once('close', () => {
    Error.stackTraceLimit = stackTraceLimit;
    for (const other of others) other.resume();
  });
}
