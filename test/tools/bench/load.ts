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
    /** Sends a request `count` times, and resolves with how many milliseconds each took to its reply. */
    async run(request: string, count: number): Promise<number[]> {
      const latencies: number[] = [];
      let sent = 0;
      await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => {
        let sentAt = 0;
        function send(): void {
          if (sent < count) {
            sent += 1;
            sentAt = performance.now();
            socket.write(request);
          } else {
            socket.off('data', receive);
            resolve();
          }
        }
        function receive(): void { // all of the reply, because it is short
          latencies.push(performance.now() - sentAt);
          send();
        }
        socket.on('data', receive);
        send();
      })));
      return latencies;
    },
    close(): void {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
