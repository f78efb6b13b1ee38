// Checks whether this process has file descriptors left. When it has none, libuv accepts each new connection and closes it at once, and
// no event of Node says so. Therefore this is checked all the time, and not only after an accept has failed.
import fs from 'node:fs';

const THIS_FILE = new URL(import.meta.url); // a file that may be read under Node's permission model, too

/** Opens a file every second, and calls `failed` with the error when there is no file descriptor for it. */
export function watchDescriptors(failed: (error: NodeJS.ErrnoException) => void): void {
  setInterval(() => {
    fs.open(THIS_FILE, (error, fd) => {
      if (error === null) fs.close(fd);
      else if (error.code === 'EMFILE' || error.code === 'ENFILE') failed(error);
    });
  }, 1_000).unref();
}
