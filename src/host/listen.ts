// From what is configured to listen on to the address really bound.
import type { Server } from 'node:net';
import { EXIT_CODES, StartError } from './start-error.ts';

/** A TCP port of this machine. */
export type PortTarget = {
  /** Undefined: every interface, IPv6 and IPv4. */
  readonly host: string | undefined;
  readonly port: number;
  /** Lets other processes listen on the same port; the kernel spreads the connections. */
  readonly reusePort: boolean;
  readonly fd?: undefined;
};

/** A socket that a supervisor has opened, by the number of its file descriptor. */
export type HandedTarget = { readonly fd: number };

export type ListenTarget = PortTarget | HandedTarget;

export type Bound = {
  /** `http://127.0.0.1:8080`, `https://[::1]:8443`, or `unix:/run/x.sock`. */
  readonly address: string;
  /** Undefined: a Unix socket, which has none. */
  readonly port: number | undefined;
};

/**
 * Listens, and resolves with what was really bound, or with the reason why it cannot be. `failed` is called
 * with each error of the listener from then on.
 */
export function listen(server: Server, scheme: 'http' | 'https', target: ListenTarget, failed: (error: unknown) => void): Promise<Bound | StartError> {
  return new Promise((resolve) => {
    const fail = (error: unknown) => resolve(startError(target, error));
    function succeed(): void {
      server.on('error', failed);
      resolve(boundTo(server, scheme, target.fd));
    }
    server.once('error', fail);
    try {
      if (target.fd !== undefined) server.listen({ fd: target.fd }, LONGEST_QUEUE, succeed);
      else server.listen(target, succeed);
    } catch (error) {
      fail(error); // what node refuses to try: without --allow-net, under the permission model of some lines
    }
  });
}

// To listen on a socket that listens already sets the length of its queue again. The kernel makes it what it
// allows (net.core.somaxconn), so that connections can wait there while a process is replaced.
const LONGEST_QUEUE = 65_535;

async function boundTo(server: Server, scheme: string, fd: number | undefined): Promise<Bound> {
  const address = server.address();
  if (address !== null && typeof address === 'object') {
    const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
    return { address: `${scheme}://${host}:${address.port}`, port: address.port };
  }
  const { unixSocketPath } = await import('./unix-socket-path.ts');
  return { address: `unix:${unixSocketPath(fd)}`, port: undefined };
}

// Whether it helps to try again depends on the cause. An address in use or missing may be so for a moment
// only; what this user may not do stays so.
const CAUSES: ReadonlyMap<unknown, readonly [reason: string, exitCode: number]> = new Map([
  ['EADDRINUSE', ['another process listens there', EXIT_CODES.failure]],
  ['EADDRNOTAVAIL', ['this machine has no such address', EXIT_CODES.failure]],
  ['ENOTFOUND', ['no such host name is known', EXIT_CODES.failure]],
  ['EACCES', ['this user may not listen on that port', EXIT_CODES.configuration]],
  ['ERR_ACCESS_DENIED', ['node is run without --allow-net', EXIT_CODES.configuration]],
]);

function startError(target: ListenTarget, error: unknown): StartError {
  if (target.fd !== undefined) {
    const reason = `Cannot listen on descriptor ${target.fd}, which LISTEN_FDS hands over: it must be a listening stream socket (${String(error)}).`;
    return new StartError([reason], EXIT_CODES.configuration, error);
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const [reason, exitCode] = CAUSES.get(code) ?? [String(error), EXIT_CODES.failure];
  return new StartError([`Cannot listen on ${target.host ?? '*'} port ${target.port}: ${reason}.`], exitCode, error);
}
