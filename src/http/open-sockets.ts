// The connections of a server: none is held by a client that does not read, and all of them end.
import type { Server, Socket } from 'node:net';

export type OpenSockets = {
  /** Stops listening, closes idle connections, and resolves when the busy ones have ended. */
  readonly close: () => Promise<void>;
  /** Ends all connections at once, and returns how many there were. */
  readonly cut: () => number;
};

const SWEEP_MS = 1_000;
const SILENT_MS = 10;
const STALL_MS = 15_000; // as long as a request may take, its reply may take

/** Keeps track of the connections of `server`, and ends those that have sent nothing for `idleMs`. */
export function trackSockets(server: Server, idleMs: number): OpenSockets {
  const sockets = new Set<Socket>();
  const activities = new Map<Socket, { bytesRead: number; seenAt: number }>();

  function track(socket: Socket): void {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  }
  server.on('connection', track);
  server.on('secureConnection', track); // TLS: a second socket, on top of the first

  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
    activities.set(socket, { bytesRead: 0, seenAt: performance.now() });
    socket.once('close', () => activities.delete(socket));
  });

  // One look at all connections in a second is cheaper than a timer of node's for every reply.
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const [socket, activity] of activities) {
      const { bytesRead } = socket;
      if (bytesRead !== activity.bytesRead) {
        activity.bytesRead = bytesRead;
        activity.seenAt = now;
      } else if (now - activity.seenAt >= idleMs) {
        socket.destroy();
      }
      // A client that sends requests but reads no replies would keep them in memory: node's time-outs are
      // for requests. The one set here is put off by every byte that leaves.
      if (socket.writableLength > 0 && !socket.timeout) socket.setTimeout(STALL_MS);
    }
  }, SWEEP_MS);
  sweep.unref();

  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          clearInterval(sweep);
          resolve();
        });
        // Node counts those who have never sent a byte as busy. A moment first: what has arrived by now on
        // new connections is read then, and answered.
        setTimeout(() => {
          for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
        }, SILENT_MS);
      }),
    cut: () => {
      const connections = [...sockets].filter((socket) => !('encrypted' in socket));
      for (const socket of sockets) socket.destroy();
      return connections.length;
    },
  };
}
