// The connections of clients, over TCP or TLS and from any address of the loopback interface, and requests on them.
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Where a client connects to, and from. */
export type Address = Readonly<{ port: number; isTls?: boolean; from?: string; allowHalfOpen?: boolean }>;

/** Connects to 127.0.0.1. `ready` is called when that is done and, over TLS, the handshake is over. */
export function openSocket({ isTls = false, from = '127.0.0.1', ...others }: Address, ready?: () => void): Socket {
  const options = { ...others, host: '127.0.0.1', localAddress: from, noDelay: true };
  const socket = isTls ? connectTls({ ...options, rejectUnauthorized: false }, ready) : connect(options, ready);
  return socket.on('error', () => {}); // `close` follows
}

/** Sends a request, and resolves with what arrives of its reply at once, or, if the connection closes, undefined. */
export function ask(socket: Socket, request: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    function done(reply: unknown): void {
      socket.off('close', done).off('data', done);
      resolve(Buffer.isBuffer(reply) ? reply.toString('latin1') : undefined);
    }
    socket.on('close', done).on('data', done).write(request);
  });
}
