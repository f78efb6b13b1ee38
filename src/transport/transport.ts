// What a connection reads from and writes to: a TCP or Unix socket, as here, or TLS on one (tls.ts).
import type { Socket } from 'node:net';
import { createIntake, type Consumer } from './intake.ts';
import type { Turns } from './turns.ts';

/** Who uses a transport: consumes what arrives, listens for errors of `socket`, and hears that the TLS handshake, if any, is over. */
export type User = Consumer & { readonly ready: () => void };

export type OpenTransport = typeof openTcp;
export type Transport = ReturnType<OpenTransport>;

/** Makes the transport of an accepted TCP or Unix socket, which comes from `client`. */
export function openTcp(socket: Socket, client: string, turns: Turns, user: User) {
  user.ready();
  return {
    ...createIntake(socket, client, turns, user, () => false),
    socket,
    /** Of a transport that has closed: whether TLS failed, or its handshake had begun and was not over. */
    hasFailed: (): boolean => false,
    /** Writes. Calls `flushed` once the kernel has taken all of it, perhaps at once. */
    write: (text: string, flushed: () => void): void => write(socket, text, flushed),
    /** Closes both sides now. */
    cut: (): void => { socket.destroy(); },
  };
}

/** Writes to a TCP or Unix socket. Calls `flushed` once the kernel has taken the bytes, perhaps at once; never, if they cannot be sent. */
export function write(socket: Socket, bytes: string | Buffer, flushed: () => void): void {
  socket.write(bytes);
  // `write` returning true does not mean that the kernel has taken the bytes. The callback of an empty write after them says when it has.
  const { writableLength, errored, destroyed } = socket;
  if (writableLength === 0 && errored === null && !destroyed) flushed();
  else socket.write('', whenTaken(socket, flushed));
}

/** The callback of a write, which calls `flushed` unless the write has failed. */
export function whenTaken(socket: Socket, flushed: () => void): (error?: Error | null) => void {
  return (error) => { if (!error && !socket.destroyed) flushed(); }; // Node 20 gives no error when the socket is destroyed
}
