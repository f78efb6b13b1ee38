// A flood: clients that send an illegal request, and more requests after it.
import { connect } from 'node:net';
import { requestBytes } from './request-kinds.ts';

const ILLEGAL = 'GET /api/greetings HTTP/1.1\r\nX: no Host\r\n\r\n';

export type Flood = {
  /** How many connections have ended so far. After each, the client has connected again. */
  readonly ended: () => number;
  readonly bytesSent: () => number;
};

/**
 * Starts `count` clients on this port of the loopback address. Every other one closes its side of the
 * connection when the server does, and connects again; the others go on sending until the server closes the connection.
 */
export function startFlood(port: number, count: number): Flood {
  const more = Buffer.concat(Array.from({ length: 16 }, () => requestBytes('browser', port, '/api/greetings')));
  let ended = 0;
  let bytesSent = 0;

  function start(goesOn: boolean): void {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: goesOn });
    const send = (bytes: string | Buffer): void => {
      socket.write(bytes, (error) => {
        if (error) return;
        bytesSent += bytes.length;
        if (socket.writable) send(more);
      });
    };
    send(ILLEGAL);
    socket.resume();
    socket.on('error', () => {}); // `close` follows
    socket.once('close', () => {
      ended += 1;
      setImmediate(start, goesOn);
    });
  }
  for (let i = 0; i < count; i += 1) start(i % 2 === 1);

  return { ended: () => ended, bytesSent: () => bytesSent };
}
