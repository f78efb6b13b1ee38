// What a connection begins with, before Node has any of it: the header of a load balancer, the ClientHello of TLS.
import type { Socket } from 'node:net';

/**
 * Reads a socket until `parse`, which gets all that has come, knows what that is. `done` gets that, or undefined if it
 * is illegal, or the client ends its side before. What follows its first `length` bytes waits in the socket, paused.
 */
export function readBeginning<T extends { readonly length: number }>(
  socket: Socket, parse: (bytes: Buffer) => T | 'incomplete' | undefined, done: (parsed?: T) => void,
): void {
  let held = Buffer.alloc(0);
  const end = () => done(undefined);
  function read(part: Buffer): void {
    held = Buffer.concat([held, part]);
    const parsed = parse(held);
    if (parsed === 'incomplete') return;
    socket.off('data', read).off('end', end).pause();
    if (parsed !== undefined && parsed.length < held.length) socket.unshift(held.subarray(parsed.length));
    done(parsed);
  }
  socket.on('data', read).on('end', end).resume();
}
