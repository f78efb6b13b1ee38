// Reads the header of the PROXY protocol from a connection of a load balancer, before anything else is read.
import type { Socket } from 'node:net';
import { readProxyHeader, type ProxyHeader } from './proxy-header.ts';

/** `done` gets the header, or undefined if it is illegal or ends early. What follows stays in the socket, paused. */
export function readHeaderOf(socket: Socket, done: (header: ProxyHeader | undefined) => void): void {
  let held = Buffer.alloc(0);

  function read(part: Buffer): void {
    held = Buffer.concat([held, part]);
    const header = readProxyHeader(held);
    if (header === 'incomplete') return;
    socket.off('data', read).off('end', end).pause();
    if (header !== undefined && header.length < held.length) socket.unshift(held.subarray(header.length));
    done(header);
  }

  function end(): void {
    done(undefined);
  }
  socket.on('data', read).on('end', end);
}
