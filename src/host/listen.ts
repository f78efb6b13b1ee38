// Listens on a port, or on a socket that was handed over, and says what was actually bound.
import { once } from 'node:events';
import { fstatSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { EXIT_CODES, StartError } from './start-error.ts';

/** A TCP port of this machine, on every interface if there is no host, which other processes may share. */
type PortTarget = Readonly<{ host: string | undefined; port: number; reusePort: boolean; fd?: never; name?: never }>;
/** A socket that a supervisor has opened: its file descriptor in this process, and its name in LISTEN_FDNAMES. */
export type HandedTarget = Readonly<{ fd: number; name: string | undefined }>;
export type ListenTarget = PortTarget | HandedTarget;

/** What is listened on: `http://127.0.0.1:8080` and its port; or `descriptor 3`, a Unix socket, which has no port. */
export type Bound = Readonly<{ address: string; port: number | undefined; name: string | undefined }>;

// New connections wait in the kernel's queue, for example while the process is replaced. If it is full, they are tried
// again a second later. The kernel shortens it to its limit (net.core.somaxconn).
const LONGEST_QUEUE = 65_535;

/** Listens. Rejects with a StartError if it cannot. `failed` gets each later error. */
export async function listen(
  listener: Server, scheme: 'http' | 'https', target: ListenTarget, failed: (error: Error) => void,
): Promise<Bound> {
  const { fd, name } = target;
  try {
    // Node closes a descriptor that it cannot listen on. If Node uses it for something else, the process aborts.
    if (fd !== undefined && !fstatSync(fd).isSocket()) throw new Error('it is not a socket');
    if (fd !== undefined) listener.listen({ fd }, LONGEST_QUEUE);
    else listener.listen({ ...target, backlog: LONGEST_QUEUE });
    await once(listener, 'listening'); // rejects when the listener emits an error instead
    if (scheme === 'https' && !isTcp(listener.address())) throw new Error('HTTPS needs TCP, and not a Unix socket');
  } catch (error) {
    throw listenError(target, error);
  }
  listener.on('error', failed);
  const bound = listener.address();
  // Node does not know the path of a Unix socket that it has not opened itself.
  if (!isTcp(bound)) return { address: `descriptor ${fd}`, port: undefined, name };
  const host = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return { address: `${scheme}://${host}:${bound.port}`, port: bound.port, name };
}

const isTcp = (address: AddressInfo | string | null) => address instanceof Object;

/** The error for a target that cannot be listened on. */
export function listenError({ fd, ...target }: ListenTarget, error: unknown): StartError {
  const isOwn = 'port' in target;
  const what = isOwn ? `${target.host ?? '*'} port ${target.port}` : `descriptor ${fd}, which LISTEN_FDS hands over`;
  // A port that is in use may be free a moment later; a missing permission stays missing, a wrong descriptor wrong.
  const mayPass = isOwn && !(error instanceof Error && 'code' in error && error.code === 'EACCES');
  const exitCode = mayPass ? EXIT_CODES.failure : EXIT_CODES.configuration;
  return new StartError([`Cannot listen on ${what}: ${String(error)}.`], exitCode);
}
