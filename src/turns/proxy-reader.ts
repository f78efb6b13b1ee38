// Reads the header of the PROXY protocol from a connection of a load balancer, before anything else is read.
import type { Socket } from 'node:net';
import { readProxyHeader, type ProxyHeader } from './proxy-header.ts';

/** `done` gets the header, or undefined if it is illegal or ends early. What follows stays in the socket, paused. */
export function readHeaderOf(socket: Socket, done: (header: ProxyHeader | undefined) => void): void {
  let held = Buffer.alloc(1); // with room for as much as is needed at least
  let length = 0;

  function read(part: Buffer): void {
    const at = length;
    length += part.length;
    if (length < held.length) {
      part.copy(held, at);
      return;
    }
    const bytes = Buffer.concat([held.subarray(0, at), part]);
    const header = readProxyHeader(bytes);
    if (typeof header === 'number') {
      held = Buffer.concat([bytes], header);
      return;
    }
    socket.off('data', read).off('end', end).pause();
    if (header !== undefined && header.length < length) socket.unshift(bytes.subarray(header.length));
    done(header);
  }

  function end(): void {
    done(undefined);
  }
  socket.on('data', read).on('end', end);
}
