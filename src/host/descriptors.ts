// Checks whether this process has file descriptors left. Without one, libuv closes each new connection at once, and node does not tell.
import fs from 'node:fs';

const CHECK_MS = 1_000; // for ever, because no event says that an accept has failed
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
