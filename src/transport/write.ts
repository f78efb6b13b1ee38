// Writes to a socket, and says when the kernel has taken the bytes.
import type { Socket } from 'node:net';

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
