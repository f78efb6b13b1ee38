// The load on a server: the same request many times, on connections that stay open from one run to the next.
import type { Socket } from 'node:net';
import { openReady } from './requests.ts';

export type Load = Awaited<ReturnType<typeof openLoad>>;

// Each has at most one request in progress, because few clients use pipelining. With 50 the CPU of the server is busy for 95 % of a run.
const CONNECTIONS = 50;

/** Opens connections to the server at a port. */
export async function openLoad(port: number) {
  const sockets: Socket[] = [];
  let isOver = false;
  while (sockets.length < CONNECTIONS) sockets.push(await openReady({ port, isTls: false }));
  for (const socket of sockets) {
    socket.once('close', () => { if (!isOver) throw new Error('The server has closed a connection.'); });
  }
  return {
    /** Sends a request `count` times, and resolves when all have been answered. */
    async run(request: string, count: number): Promise<void> {
      let sent = 0;
      await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => {
        function send(): void {
          if (sent < count) {
            sent += 1;
            socket.write(request);
          } else {
            socket.off('data', send);
            resolve();
          }
        }
        socket.on('data', send); // at once all of a reply, because it is short
        send();
      })));
    },
    close(): void {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
