// Writes log lines to stdout, in order. Those of one iteration of the event loop are written together, as whole lines
// and up to 4,096 bytes: if processes share a pipe, the kernel mixes no such writes (pipe(7)).
import { logLine } from './log.ts';

const MAX_WAITING = 4_096; // lines; one of the access log has at most some 2,300 bytes
const MAX_BYTES = 4_096; // of a write, unless a line is longer

/** What is needed of stdout. */
type Stream = {
  on(event: 'error', listener: () => void): unknown;
  write(text: string, callback: (error?: Error | null) => void): unknown;
};

/** An output that writes to `stream`. */
export function createOutput(stream: Stream) {
  const waiting: string[] = [];
  let isWriting = false; // or is about to
  let drops = 0; // lines that came when too many waited
  let failures = 0; // lines that could not be written
  let allWritten = () => {};
  stream.on('error', () => {}); // EPIPE: the reader has closed the pipe; the service goes on without a log

  function append(line: string): void {
    waiting.push(line);
    if (!isWriting) setImmediate(writeNext);
    isWriting = true;
  }

  function writeNext(): void {
    const lines = waiting.splice(0, fitting(waiting));
    isWriting = lines.length > 0;
    if (!isWriting) return allWritten();
    stream.write(lines.join(''), (error) => {
      if (error) failures += lines.length;
      else if (waiting.length === 0) appendCounts();
      writeNext();
    });
  }

  function appendCounts(): void {
    if (drops > 0) append(logLine('warn', 'Log lines were dropped: stdout was read too slowly.', { count: drops }));
    if (failures > 0) append(logLine('warn', 'Log lines were lost: stdout could not be written.', { count: failures }));
    drops = 0;
    failures = 0;
  }

  return {
    write(line: string): void {
      if (waiting.length < MAX_WAITING) append(line);
      else drops += 1;
    },
    /** Resolves when all lines have been written, or after a second. */
    async end(): Promise<void> {
      appendCounts();
      const isOver = new Promise<void>((resolve) => { allWritten = resolve; });
      if (isWriting) await Promise.race([isOver, new Promise((resolve) => setTimeout(resolve, 1_000))]);
    },
  };
}

// How many of the lines go into the next write.
function fitting(lines: readonly string[]): number {
  let bytes = 0;
  const next = lines.findIndex((line, i) => {
    bytes += Buffer.byteLength(line);
    return bytes > MAX_BYTES && i > 0;
  });
  return next === -1 ? lines.length : next;
}
