// Slow clients: each keeps a connection open, and sends one byte of a request head every second.
import { connect } from 'node:net';

const HEAD_BYTES = `GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(1_000)}`; // its end is never sent
const BYTE_INTERVAL_MS = 1_000;
const RECONNECT_DELAY_MS = 10;

export type SlowClients = {
  /** How many connections are open now. */
  readonly open: () => number;
  /** How many connections the server has closed so far. After each, the client has connected again. */
  readonly closed: () => number;
};

/** Opens `count` connections to this port of the loopback address, and resolves when all are open. */
export async function startSlowClients(port: number, count: number): Promise<SlowClients> {
  let open = 0;
  let closed = 0;

  function openConnection(): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.resume();
      socket.on('error', () => {}); // `close` follows
      socket.once('connect', () => {
        open += 1;
        let sent = 0;
        const timer = setInterval(() => socket.write(HEAD_BYTES.charAt(sent++)), BYTE_INTERVAL_MS);
        socket.once('close', () => {
          clearInterval(timer);
          open -= 1;
          closed += 1;
        });
        resolve();
      });
      socket.once('close', () => setTimeout(() => void openConnection(), RECONNECT_DELAY_MS));
    });
  }

  await Promise.all(Array.from({ length: count }, openConnection));
  return { open: () => open, closed: () => closed };
}
