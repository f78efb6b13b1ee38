// Checks whether this process has file descriptors left. Without one, libuv accepts each new connection with a descriptor that it keeps for
// this, and closes it at once; node tells nothing, no `error` and no `drop`. So an accept that fails cannot be the occasion of the check.
import fs from 'node:fs';

const CHECK_MS = 1_000;
const THIS_FILE = new URL(import.meta.url); // a file that may be read under node's permission model, too

type Open = (file: URL, done: (error: NodeJS.ErrnoException | null, fd: number) => void) => void;

/** Opens a file every second, and calls `failed` with the error when there is no file descriptor for it. */
export function watchDescriptors(failed: (error: unknown) => void, open: Open = fs.open): void {
  setInterval(() => {
    open(THIS_FILE, (error, fd) => {
      if (error === null) fs.close(fd);
      else if (error.code === 'EMFILE' || error.code === 'ENFILE') failed(error);
    });
  }, CHECK_MS).unref();
}
