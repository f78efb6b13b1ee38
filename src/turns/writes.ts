// How a stream is written to a socket: in parts that take few system calls and little memory, and count as activity.
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers';

const PART_BYTES = 64 * 1024;
const MANY_WRITES = 100;

export type Callback = (error?: Error | null) => void;
export type Write = { readonly chunk: string | Buffer; readonly encoding: BufferEncoding };
type Active = { isActive: boolean };

/** Writes to the socket of a connection. `done` is called when the kernel has all, or it fails. */
export function write(socket: Socket, connection: Active, writes: readonly Write[], done: Callback): void {
  const [first, second] = writes;
  // A short reply is one write, perhaps followed by an empty one, with which Node ends it.
  const isOne = writes.length <= 2 && (second?.chunk.length ?? 0) === 0 && !('encrypted' in socket);
  // After many, others have an iteration of the event loop: a source that never waits would have all of them.
  const ended: Callback = writes.length > MANY_WRITES ? (error) => setImmediate(done, error) : done;
  if (!isOne || first === undefined || first.chunk.length > PART_BYTES) return writeParts(partsOf(writes), ended);
  connection.isActive = true;
  socket.write(first.chunk, first.encoding);
  // Faster: if nothing waits, the kernel has it already. Saves 10 %.
  if (socket.writableLength === 0 && socket.errored === null && !socket.destroyed) done();
  else socket.write('', done); // when what was written before has been taken

  // One after the other: each that the kernel takes is activity, even if it takes minutes for all.
  function writeParts(parts: Iterator<Buffer, undefined>, over: Callback): void {
    const { value: part } = parts.next();
    connection.isActive = true;
    if (part === undefined) over();
    else socket.write(part, (error) => (error ? over(error) : writeParts(parts, over)));
  }
}

// Many short writes become one part, and a long write becomes several. Each part is made only when it is due.
function* partsOf(writes: readonly Write[]): Generator<Buffer, undefined> {
  const gathered: Buffer[] = [];
  let length = 0;
  for (const { chunk, encoding } of writes) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    for (let at = 0; at < bytes.length; at += PART_BYTES) {
      const piece = bytes.subarray(at, at + PART_BYTES);
      if (length + piece.length > PART_BYTES) {
        yield Buffer.concat(gathered.splice(0));
        length = 0;
      }
      gathered.push(piece);
      length += piece.length;
    }
  }
  if (length > 0) yield Buffer.concat(gathered);
  return undefined;
}
