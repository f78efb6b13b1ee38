// Ordinary clients: each sends a request on a new connection, reads the reply, and goes on after a short pause.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestBytes } from './request-kinds.ts';

const PAUSE_MS = 10;

export type Waits = {
  /** Milliseconds from the start of each connection to its reply or, without a reply, to its end. */
  readonly waits: readonly number[];
  /** How many connections the server ended without a reply of status 200. */
  readonly failed: number;
};

export type OrdinaryClients = {
  /** Ends the clients. The wait of those without a reply ends now. */
  readonly stop: () => Promise<Waits>;
};

/** Starts `count` clients on this port of the loopback address. */
export function startOrdinaryClients(port: number, count: number): OrdinaryClients {
  const request = requestBytes('browser', port, '/api/greetings');
  const open = new Set<Socket>();
  const waits: number[] = [];
  let failed = 0;
  let isStopped = false;

  async function client(): Promise<void> {
    while (!isStopped) {
      const begin = performance.now();
      const isReplied = await sendOne();
      waits.push(performance.now() - begin);
      if (!isReplied && !isStopped) failed += 1;
      await sleep(PAUSE_MS);
    }
  }

  function sendOne(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      open.add(socket);
      socket.write(request);
      socket.once('data', (reply) => { // all of the reply, because it is short
        resolve(reply.includes('HTTP/1.1 200'));
        socket.destroy();
      });
      socket.on('error', () => {}); // `close` follows
      socket.once('close', () => {
        open.delete(socket);
        resolve(false);
      });
    });
  }

  const clients = Array.from({ length: count }, client);
  return {
    async stop() {
      isStopped = true;
      for (const socket of open) socket.destroy();
      await Promise.all(clients);
      return { waits, failed };
    },
  };
}
