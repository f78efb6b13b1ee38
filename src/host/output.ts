// Writes log lines to stdout, in order and each with a write of its own: if processes share a pipe, the kernel mixes no
// writes of up to 4,096 bytes (pipe(7)). Only so many lines may wait for a slow reader; further ones are dropped.
import type { Writable } from 'node:stream';
import { logLine } from './log.ts';

const MAX_WAITING = 4_096; // lines; one of the access log has at most some 2,300 bytes

/** An output that writes to `stream`. */
export function createOutput(stream: Writable) {
  let waiting = 0; // lines that the kernel has not taken
  let drops = 0;
  let allTaken = Promise.resolve();
  stream.on('error', () => {}); // EPIPE: the reader has closed the pipe; the service goes on without a log

  function append(line: string): void {
    waiting += 1;
    allTaken = allTaken.then(async () => {
      await new Promise((resolve) => stream.write(line, resolve));
      waiting -= 1;
      if (waiting === 0) appendDrops();
    });
  }

  function appendDrops(): void {
    if (drops > 0) append(logLine('warn', 'Log lines were dropped: stdout was read too slowly.', { count: drops }));
    drops = 0;
  }

  return {
    write(line: string): void {
      if (waiting < MAX_WAITING) append(line);
      else drops += 1;
    },
    /** Resolves when all lines have been written, or after a second. */
    async end(): Promise<void> {
      appendDrops();
      await Promise.race([allTaken, new Promise((resolve) => setTimeout(resolve, 1_000))]);
    },
  };
}
