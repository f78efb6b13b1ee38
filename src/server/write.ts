// Writes to a socket, and says when the kernel has taken the bytes.
import type { Socket } from 'node:net';

/** Writes a reply, or bytes of TLS. Calls `flushed` once the kernel has taken them, perhaps at once; never, if they cannot be sent. */
export function write(socket: Socket, bytes: string | Buffer, flushed: () => void): void {
  const written = (error?: Error | null) => { if (!error && !socket.destroyed) flushed(); }; // Node 20 gives no error when it is destroyed
  // Faster over TLS (only a TLSSocket has `encrypted`): the bytes are never taken at once, and the second write below would cost 12 µs.
  if ('encrypted' in socket) return void socket.write(bytes, written);
  socket.write(bytes);
  // `write` returning true does not mean that the kernel has taken the bytes. The callback of an empty write after them says when it has.
  const { writableLength, errored, destroyed } = socket;
  if (writableLength === 0 && errored === null && !destroyed) flushed();
  else socket.write('', written);
}
