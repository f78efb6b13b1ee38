// Writes to a socket, and says when the kernel has taken the bytes.
import type { Socket } from 'node:net';

/** Writes a reply, or bytes of TLS. Calls `left` when the kernel has taken its bytes, perhaps at once; never, when it cannot be sent. */
export function write(socket: Socket, reply: string | Buffer, encoding: BufferEncoding, left: () => void): void {
  const taken = (error?: Error | null) => { if (!error && !socket.destroyed) left(); }; // Node 20 calls it without an error when destroyed
  if ('encrypted' in socket) { // over TLS it is never at once, and the second write below would cost 12 µs
    socket.write(reply, encoding, taken);
    return;
  }
  socket.write(reply, encoding);
  // That `write` returns true does not say that the kernel has taken the bytes.
  const { writableLength, errored, destroyed } = socket;
  if (writableLength === 0 && errored === null && !destroyed) left();
  else socket.write('', taken);
}
