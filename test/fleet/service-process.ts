// The compiled service as a process of its own, outside of any test runner: those follow every asynchronous
// step of what they run, which is too dear for millions of requests.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseLine, portIn, type LogLine } from '../support/process.ts';

const ENTRY = fileURLToPath(new URL('../../src/main.js', import.meta.url));

export type RunningService = {
  readonly pid: number;
  readonly port: number;
  /** Asks it to stop, and resolves with its exit code when it has: null when a signal ended it. */
  readonly stop: () => Promise<number | null>;
};

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Sees to it that `child` does not outlive this process. */
export function endWithUs(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
}

/** Starts the service with `env` and nothing else, waits until it listens, and hands its log lines to `onLine`. */
export async function startService(env: Readonly<Record<string, string>>, onLine: (line: LogLine) => void): Promise<RunningService> {
  const child = spawn(process.execPath, [ENTRY], { env: { ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  endWithUs(child);
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const first = once(lines, 'line');
  lines.on('line', (line) => onLine(parseLine(line)));
  const start: unknown[] = await Promise.race([first, closed.then(() => [])]);
  const { pid } = child;
  if (start.length === 0 || pid === undefined) throw new Error('The service has ended instead of listening.');
  let mayEnd = false;
  void closed.then(() => {
    if (mayEnd) return;
    console.error(`The service has ended by itself: ${child.exitCode ?? child.signalCode}`);
    process.exit(1);
  });
  return {
    pid,
    port: portIn(parseLine(String(start[0]))),
    stop: async () => {
      mayEnd = true;
      child.kill('SIGTERM');
      await closed;
      return child.exitCode;
    },
  };
}
