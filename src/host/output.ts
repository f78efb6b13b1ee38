// Log lines on their way to stdout: at once or in batches, in order, and bounded when nobody reads.
import type { Writable } from 'node:stream';

const BATCH_MS = 50; // a line waits no longer than this for others to be written with
const BATCH_CHARS = 64 * 1024; // and no longer than others take this much room
const MAX_WAITING_BYTES = 4 * 1024 * 1024; // of lines that the reader of stdout has not taken yet

export type Output = {
  /** Writes a line, and all that waits before it. */
  readonly write: (line: string) => void;
  /** Writes a line within 50 ms, together with others: one system call for many. */
  readonly writeSoon: (line: string) => void;
  /** Writes what waits, and resolves when the reader has read everything, or has had `timeoutMs` to do so. */
  readonly flush: (timeoutMs: number) => Promise<void>;
};

/**
 * An output to `stream`. While its reader is slow or blocked, lines beyond a limit are dropped, and
 * `dropped` is told how many once the reader goes on.
 */
export function createOutput(stream: Writable, dropped: (count: number) => void): Output {
  let batch = '';
  let drops = 0;
  let timer: NodeJS.Timeout | undefined;
  stream.on('error', () => {}); // EPIPE: nobody reads any more, which is no reason to stop serving

  function writeBatch(): void {
    clearTimeout(timer);
    timer = undefined;
    if (batch === '') return;
    stream.write(batch);
    batch = '';
  }

  function writeSoon(line: string): void {
    if (stream.writableLength > MAX_WAITING_BYTES) {
      drops += 1;
      return;
    }
    batch += line;
    if (batch.length > BATCH_CHARS) writeBatch();
    else timer ??= setTimeout(writeBatch, BATCH_MS);
  }

  stream.on('drain', () => {
    if (drops === 0) return;
    const count = drops;
    drops = 0;
    dropped(count);
  });

  return {
    writeSoon,
    write: (line) => {
      writeSoon(line);
      writeBatch();
    },
    flush: (timeoutMs) =>
      new Promise((resolve) => {
        writeBatch();
        setTimeout(resolve, timeoutMs).unref();
        stream.write('', () => resolve());
      }),
  };
}
