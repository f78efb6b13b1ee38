// Finds the descriptors of sockets of this process, so that they can be handed over to another process. Node does not
// tell a descriptor. On Linux it is the one that was not in /proc/self/fd before.
import { readdirSync, renameSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { listenOnPort } from './sockets.ts';

/** The reason why tests that hand over sockets are skipped here, or false. */
export const NO_DESCRIPTORS = process.platform !== 'linux' && 'only Linux lists the descriptors of a process';

/**
 * A socket that listens on a free TCP port, or as a Unix socket on `path`; to be called before tests that run at the
 * same time, which open sockets, too. `giveUp` closes it here: then only processes that have received it listen.
 */
export async function listeningSocket(path?: string) {
  const server = createServer().unref(); // it may stay open until this process ends
  let port = 0;
  const open = async () => { port = await listenOnPort(server, path && `${path}.new`); };
  const fd = NO_DESCRIPTORS ? -1 : await descriptorOpenedBy(open);
  if (fd >= 0 && path !== undefined) renameSync(`${path}.new`, path); // node would remove the file
  return { fd, port, giveUp: () => void server.close() };
}

/** The descriptor of the one socket that `open` opens. */
export async function descriptorOpenedBy(open: () => Promise<unknown>): Promise<number> {
  const before = socketDescriptors();
  await open();
  const fd = socketDescriptors().find((one) => !before.includes(one));
  if (fd === undefined) throw new Error('No socket has been opened.');
  return fd;
}

// The folder has the descriptor that it was read with, too, which is closed by now.
const socketDescriptors = () => readdirSync('/proc/self/fd').map(Number)
  .filter((fd) => statSync(`/proc/self/fd/${fd}`, { throwIfNoEntry: false })?.isSocket());
