// A named pipe, on which a process waits that opens it until another process does so, too.
import { execFileSync } from 'node:child_process';

/** Makes a named pipe at `path`. */
export function makePipe(path: string): void {
  execFileSync('mkfifo', [path]);
}
