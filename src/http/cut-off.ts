// Cuts off clients for which node keeps too many requests.
import type { Duplex } from 'node:stream';

/**
 * Makes a function that ends a connection at once, and one that counts the requests after that. Node has read up to
 * 64 KiB of a connection, which may be thousands of requests: it parses all of them, and keeps them until the connection
 * has closed. The requests of all cut-off connections are counted together. With more than `maxRequests`, the other
 * `sockets` are paused until all of these connections have closed, so that many such clients take little more memory than one.
 */
export function createCutOff(maxRequests: number, sockets: () => Iterable<Duplex>) {
  const unclosed = new Set<Duplex>(); // the sockets that have been cut off and have not closed
  let keptRequests = 0; // how many requests node has kept of connections that were cut off, since `unclosed` was last empty
  const paused = new Map<Duplex, () => void>(); // the sockets that are paused here, with a listener for `pause`

  let newestFirst = true; // which sockets are resumed first; it alternates

  const isFull = () => keptRequests > maxRequests;

  function countKept(count: number): void {
    const wasFull = isFull();
    keptRequests += count;
    if (isFull() && !wasFull) process.nextTick(pauseAll); // not at once: node may be parsing another connection, and may pause it itself
  }

  function pauseAll(): void {
    if (!isFull()) return; // all have closed already
    for (const socket of sockets()) {
      if (socket.destroyed || socket.isPaused()) continue;
      socket.pause();
      // The event `pause` for the call above has been emitted already. When it is emitted again, node has resumed the socket
      // and then paused it for a reason of its own. From then on only node may resume it: over TLS, node throws an error when
      // others do, and the process ends.
      const forget = () => paused.delete(socket);
      socket.once('pause', forget);
      paused.set(socket, forget);
    }
  }

  function resumeAll(): void {
    keptRequests = 0;
    const all = Array.from(paused);
    // If the order were always the same, the first sockets could be those of hundreds of clients that will be cut off as soon
    // as they are read again. Each cut-off would pause all the others again, so the last ones would wait for seconds.
    if (newestFirst) all.reverse();
    newestFirst = !newestFirst;
    for (const [socket, forget] of all) socket.off('pause', forget).resume();
    paused.clear();
  }

  /** Ends the connection of `socket`, of which node keeps `kept` requests. */
  function cutOff(socket: Duplex, kept: number): void {
    socket.destroy();
    unclosed.add(socket);
    countKept(kept);
    // When the connection closes, node makes an error for each of those requests. Nobody sees these errors, but their
    // stack traces would take so long that all other connections would wait.
    const { stackTraceLimit } = Error;
    socket.prependOnceListener('close', () => {
      Error.stackTraceLimit = 0;
    });
    socket.once('close', () => {
      Error.stackTraceLimit = stackTraceLimit;
      unclosed.delete(socket);
      if (unclosed.size === 0) resumeAll();
    });
  }

  /** Counts a request that node has parsed on a connection that has been cut off. */
  function countRequest(socket: Duplex): void {
    if (unclosed.has(socket)) countKept(1);
  }

  return { cutOff, countRequest };
}

export type CutOff = ReturnType<typeof createCutOff>;
