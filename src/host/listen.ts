// From a configured address to the one really bound.
import type { Server } from 'node:net';
import { StartError } from './last-words.ts';

export type BoundAddress = {
  /** As in a URL: `127.0.0.1:8080`, `[::1]:8080`. */
  readonly address: string;
  readonly port: number;
};

export type ListenOptions = {
  /** Undefined: every interface, IPv6 and IPv4. */
  readonly host: string | undefined;
  readonly port: number;
  /** Lets other processes listen on the same port; the kernel spreads the connections. */
  readonly reusePort: boolean;
};

/** Listens, and returns the address really bound. Throws a StartError when it can't be bound. */
export function listen(server: Server, { host, port, reusePort }: ListenOptions): Promise<BoundAddress> {
  return new Promise((resolve, reject) => {
    function fail(error: unknown): void {
      reject(new StartError([`Cannot listen on ${host ?? '*'} port ${port}: ${reason(error)}.`], error));
    }
    server.once('error', fail);
    try {
      server.listen({ port, reusePort, ...(host !== undefined && { host }) }, () => resolve(boundAddress(server)));
    } catch (error) {
      fail(error); // what node refuses to try: without --allow-net, under the permission model of some lines
    }
  });
}

/** The address that a TCP server listens on. Throws when it listens on none. */
export function boundAddress(server: Server): BoundAddress {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('The server does not listen on a TCP port.');
  const host = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return { address: `${host}:${bound.port}`, port: bound.port };
}

const REASONS: ReadonlyMap<unknown, string> = new Map([
  ['EADDRINUSE', 'another process listens there'],
  ['EADDRNOTAVAIL', 'this machine has no such address'],
  ['EACCES', 'this user may not listen on that port'],
  ['ENOTFOUND', 'no such host name is known'],
]);

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return REASONS.get(code) ?? String(error);
}
