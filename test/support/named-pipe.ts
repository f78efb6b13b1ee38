// A named pipe in place of a file that the service reads at its start. The service waits until something is written to it.
import { execFileSync } from 'node:child_process';
import { open, type FileHandle } from 'node:fs/promises';
import type { ServiceProcess } from './process.ts';

/** Makes a named pipe at `path`. */
export function makePipe(path: string): void {
  execFileSync('mkfifo', [path]);
}

/** Opens the pipe for writing. Resolves when `service` has opened it, too; then the service waits for the bytes. */
export function openPipe(path: string, { child }: ServiceProcess): Promise<FileHandle> {
  // If the service ends before it opens the pipe, this opens both sides, so that the promise does not wait for ever.
  child.once('exit', () => void open(path, 'r+').then((handle) => handle.close(), () => {}));
  return open(path, 'w');
}
