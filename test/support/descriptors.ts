// Finds the descriptors of sockets of this process, so that they can be handed over to another process. Node does not
// tell a descriptor. On Linux it is the one that was not in /proc/self/fd before.
import { once } from 'node:events';
import { readdirSync, readlinkSync, renameSync } from 'node:fs';
import { createServer } from 'node:net';
import { listenOnPort } from './sockets.ts';

/** The reason why tests that hand over sockets are skipped here, or false. */
export const NO_DESCRIPTORS = process.platform !== 'linux' && 'only Linux lists the descriptors of a process';

/**
 * A socket that listens on a free TCP port of this machine, or as a Unix socket on `path`. To be called before tests
 * that run at the same time, because they open sockets, too.
 */
export async function listeningSocket(path?: string) {
  const server = createServer().unref(); // it may stay open until this process ends
  let port = 0; // for a Unix socket
  const open = async () => {
    if (path === undefined) port = await listenOnPort(server);
    else await once(server.listen({ path: `${path}.new` }), 'listening');
  };
  const fd = NO_DESCRIPTORS ? -1 : await descriptorOpenedBy(open);
  if (fd >= 0 && path !== undefined) renameSync(`${path}.new`, path); // node would remove the file
  /** Closes the socket in this process. Only processes that have received it listen then. */
  const giveUp = () => void server.close();
  return { fd, port, giveUp };
}

/** The descriptor of the one socket that `open` opens. */
export async function descriptorOpenedBy(open: () => Promise<unknown>): Promise<number> {
  const before = socketDescriptors();
  await open();
  const fd = socketDescriptors().find((one) => !before.includes(one));
  if (fd === undefined) throw new Error('No socket has been opened.');
  return fd;
}

function socketDescriptors(): number[] {
  return readdirSync('/proc/self/fd').map(Number).filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith('socket:');
    } catch {
      return false; // the descriptor that the folder was read with is closed by now
    }
  });
}
