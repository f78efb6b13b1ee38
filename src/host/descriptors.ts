// Whether this process can still open anything. When it cannot, libuv accepts new connections and closes them
// at once, so that they do not wait in vain, and node tells the program nothing of it.
const fs = process.getBuiltinModule('node:fs'); // loaded already; an ES import of it would cost a few ms more

const CHECK_MS = 1_000;
const THIS_FILE = new URL(import.meta.url); // one that may be read under the permission model, too

type Open = (file: URL, done: (error: NodeJS.ErrnoException | null, fd: number) => void) => void;

/** Opens a file every second, and calls `failed` with the error when no descriptor is left for it. */
export function watchDescriptors(failed: (error: unknown) => void, open: Open = fs.open): void {
  setInterval(() => {
    open(THIS_FILE, (error, fd) => {
      if (error === null) fs.close(fd);
      else if (error.code === 'EMFILE' || error.code === 'ENFILE') failed(error);
    });
  }, CHECK_MS).unref();
}
