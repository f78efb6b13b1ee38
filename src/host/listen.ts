// Listens on a port, or on a socket that was handed over, and says what was actually bound, and when no connection can be accepted.
import { once } from 'node:events';
import fs from 'node:fs';
import type { Server } from 'node:net';
import { EXIT_CODES, StartError } from './start-error.ts';

/** A TCP port of this machine. Without a host: on every interface. With `reusePort` other processes may listen on it, too. */
type PortTarget = Readonly<{ host: string | undefined; port: number; reusePort: boolean; fd?: undefined; name?: undefined }>;

/** A socket that a supervisor has opened: its file descriptor in this process, and its name in LISTEN_FDNAMES, if it has one. */
export type HandedTarget = Readonly<{ fd: number; name: string | undefined }>;

export type ListenTarget = PortTarget | HandedTarget;
export type Scheme = 'http' | 'https';

// Calling listen on a listening socket sets the maximum length of its queue again. New connections wait in this queue
// while the process is replaced, so it should be long. The kernel shortens it to its limit (net.core.somaxconn).
const LONGEST_QUEUE = 65_535;

/** What the service listens on: `http://127.0.0.1:8080` and its port; or `descriptor 3`, a Unix socket, which has no port. */
export type Bound = Readonly<{ address: string; port: number | undefined; name: string | undefined }>;

/** Listens. Resolves with what was bound, or with a StartError that says why it could not. `failed` gets each later error. */
export async function listen(
  listener: Server, scheme: Scheme, target: ListenTarget, failed: (error: Error) => void,
): Promise<Bound | StartError> {
  try {
    // Node closes a descriptor that it cannot listen on. If LISTEN_FDS is wrong, that may be one of its own, and then Node aborts.
    if (target.fd !== undefined && !fs.fstatSync(target.fd).isSocket()) throw new Error('it is not a socket');
    if (target.fd === undefined) listener.listen(target);
    else listener.listen({ fd: target.fd }, LONGEST_QUEUE);
    await once(listener, 'listening'); // rejects when the listener emits an error instead
  } catch (error) {
    return startError(scheme, target, error);
  }
  listener.on('error', failed);
  const { fd, name } = target, address = listener.address();
  // Node does not know the path of a Unix socket that it has not opened itself.
  if (typeof address !== 'object' || address === null) return { address: `descriptor ${fd}`, port: undefined, name };
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { address: `${scheme}://${host}:${address.port}`, port: address.port, name };
}

function startError(scheme: Scheme, target: ListenTarget, error: unknown): StartError {
  if (target.fd !== undefined) {
    const reason = `it must be a listening stream socket (${String(error)})`;
    return new StartError([`Cannot listen on descriptor ${target.fd}, which LISTEN_FDS hands over: ${reason}.`], EXIT_CODES.configuration);
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const variable = scheme === 'https' ? 'HTTPS_PORT' : 'PORT';
  const reason = code === 'EADDRINUSE' ? `another process is listening there; stop it, or set ${variable} to another port` : String(error);
  // An address that is in use or missing may be available a moment later; a missing permission stays missing.
  const exitCode = code === 'EACCES' ? EXIT_CODES.configuration : EXIT_CODES.failure;
  return new StartError([`Cannot listen on ${target.host ?? '*'} port ${target.port}: ${reason}.`], exitCode);
}

/** Opens a file every second, and calls `lacking` if no descriptor is left for it: libuv then closes new connections without an event. */
export function watchDescriptors(lacking: (code: string) => void): void {
  setInterval(() => {
    fs.open(new URL(import.meta.url), (error, fd) => { // this file may be read under Node's permission model, too
      if (error === null) fs.close(fd);
      else if (error.code === 'EMFILE' || error.code === 'ENFILE') lacking(error.code);
    });
  }, 1_000).unref();
}
