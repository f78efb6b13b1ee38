// From a configured address to the one really bound.
import type { Server } from 'node:net';
import { StartError } from './start-error.ts';

/**
 * Listens, on every interface when there is no host. Throws a StartError when the address can't be
 * bound.
 */
export function listen(server: Server, host: string | undefined, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new StartError([`Cannot listen on ${host ?? '*'} port ${port}: ${reason(error)}.`], error));
    });
    server.listen({ port, ...(host !== undefined && { host }) }, resolve);
  });
}

/** The address that a listening TCP server has bound, as in a URL: `127.0.0.1:8080`, `[::1]:8080`. */
export function boundAddress(server: Server): string {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('The server does not listen on a TCP port.');
  const host = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return `${host}:${bound.port}`;
}

const REASONS: ReadonlyMap<string | undefined, string> = new Map([
  ['EADDRINUSE', 'another process listens there'],
  ['EADDRNOTAVAIL', 'this machine has no such address'],
  ['EACCES', 'this user may not listen on that port'],
  ['ENOTFOUND', 'no such host name is known'],
]);

function reason(error: NodeJS.ErrnoException): string {
  return REASONS.get(error.code) ?? error.message;
}
