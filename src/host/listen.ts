// Listens on a port, or on a socket that was handed over, and tells the address that was really bound.
import fs from 'node:fs';
import type { Server } from 'node:net';
import { EXIT_CODES, StartError } from './start-error.ts';

/** A TCP port of this machine. Without a host: on every interface. With `reusePort` other processes may listen on it, too. */
export type PortTarget = { readonly host: string | undefined; readonly port: number; readonly reusePort: boolean } & NotHanded;
type NotHanded = { readonly [name in keyof HandedTarget]?: undefined };

/** A socket that a supervisor has opened: its file descriptor in this process, and its name in LISTEN_FDNAMES, if it has one. */
export type HandedTarget = { readonly fd: number; readonly name: string | undefined };

export type ListenTarget = PortTarget | HandedTarget;
export type Scheme = 'http' | 'https';
type Failed = (error: unknown) => void;

/** What is listened on: `http://127.0.0.1:8080` and its port; or `descriptor 3`, a Unix socket, which has no port. */
export type Bound = { readonly address: string; readonly port: number | undefined; readonly name: string | undefined };

/**
 * Listens, and resolves with what was bound, or with a StartError that says why that is impossible. From then
 * on `failed` is called with each error of `server`.
 */
export function listen(server: Server, scheme: Scheme, target: ListenTarget, failed: Failed): Promise<Bound | StartError> {
  return new Promise((resolve) => {
    const fail = (error: unknown) => resolve(startError(scheme, target, error));
    function succeed(): void {
      server.on('error', failed);
      resolve(boundTo(server, scheme, target));
    }
    server.once('error', fail);
    try {
      if (target.fd === undefined) server.listen(target, succeed);
      else server.listen({ fd: checkSocket(target.fd) }, LONGEST_QUEUE, succeed);
    } catch (error) {
      fail(error); // node throws for an invalid port, for example
    }
  });
}

// When a descriptor cannot be listened on, node closes it. With a wrong LISTEN_FDS it may be one that node itself has opened
// and needs, and the process would abort.
function checkSocket(fd: number): number {
  if (!fs.fstatSync(fd).isSocket()) throw new Error('it is not a socket');
  return fd;
}

// Calling listen on a listening socket sets the length of its queue again. New connections wait in this queue
// while the process is replaced, so it is to be long. The kernel shortens it to its limit (net.core.somaxconn).
const LONGEST_QUEUE = 65_535;

// Node does not tell the path of a Unix socket that it has not opened itself.
function boundTo(server: Server, scheme: string, { fd, name }: ListenTarget): Bound {
  const address = server.address();
  if (address === null || typeof address === 'string') return { address: `descriptor ${fd}`, port: undefined, name };
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { address: `${scheme}://${host}:${address.port}`, port: address.port, name };
}

// The exit code says whether another start may succeed. An address that is in use or missing may be available
// a moment later; a missing permission stays missing.
const causes = (variable: string): ReadonlyMap<unknown, readonly [reason: string, exitCode: number]> => new Map([
  ['EADDRINUSE', [`another process listens there: stop it, or set ${variable} to another port`, EXIT_CODES.failure]],
  ['EADDRNOTAVAIL', ['this machine has no such address', EXIT_CODES.failure]],
  ['ENOTFOUND', ['no such host name is known', EXIT_CODES.failure]],
  ['EACCES', ['this user may not listen on that port', EXIT_CODES.configuration]],
]);

function startError(scheme: Scheme, target: ListenTarget, error: unknown): StartError {
  if (target.fd !== undefined) {
    const reason = `it must be a listening stream socket (${String(error)})`;
    return new StartError([`Cannot listen on descriptor ${target.fd}, which LISTEN_FDS hands over: ${reason}.`], EXIT_CODES.configuration);
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const [reason, exitCode] = causes(scheme === 'https' ? 'HTTPS_PORT' : 'PORT').get(code) ?? [String(error), EXIT_CODES.failure];
  return new StartError([`Cannot listen on ${target.host ?? '*'} port ${target.port}: ${reason}.`], exitCode);
}
