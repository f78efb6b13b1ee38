// Runs the compiled service as a process, without a test runner: a test runner tracks every asynchronous operation,
// which takes too much time with millions of requests.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseLine, portIn, type LogLine } from '../../support/process.ts';

const ENTRY = fileURLToPath(new URL('../../../src/main.js', import.meta.url));

export type RunningProcess = {
  readonly pid: number;
  /** Asks it to stop, and resolves with its exit code when it has: null when a signal ended it. */
  readonly stop: () => Promise<number | null>;
};

export type RunningService = RunningProcess & { readonly port: number };

type Environment = Readonly<Record<string, string>>;
type OnLine = (line: LogLine) => void;

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Ends `child` when this process ends. */
export function endWithUs(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
}

/** Starts the service with no environment but `env`, waits until it listens, and calls `onLine` with each log line. */
export async function startService(env: Environment, onLine: OnLine): Promise<RunningService> {
  const { started, ...service } = await start([process.execPath, ENTRY], env, onLine, []);
  return { ...service, port: portIn(started) };
}

/** The same, and hands over the listening socket with descriptor `fd` of this process, as sd_listen_fds(3) defines it. */
export async function startServiceOn(fd: number, env: Environment, onLine: OnLine): Promise<RunningProcess> {
  // exec replaces the shell by node, so the process id of the shell is the one of the service.
  const command = ['/bin/sh', '-c', 'LISTEN_PID=$$ exec "$0" "$@"', process.execPath, ENTRY];
  const { started, ...service } = await start(command, { LISTEN_FDS: '1', ...env }, onLine, [fd]);
  return service;
}

async function start([program = '', ...words]: readonly string[], env: Environment, onLine: OnLine, descriptors: readonly number[]) {
  const child = spawn(program, words, { env: { ...env }, stdio: ['ignore', 'pipe', 'inherit', ...descriptors] });
  endWithUs(child);
  const { stdout, pid } = child;
  if (stdout === null || pid === undefined) throw new Error('The service cannot be started.');
  const closed = once(child, 'close');
  const lines = createInterface({ input: stdout });
  const first = once(lines, 'line');
  lines.on('line', (line) => onLine(parseLine(line)));
  const [text]: unknown[] = await Promise.race([first, closed.then(() => [])]);
  if (typeof text !== 'string') throw new Error('The service has ended instead of listening.');
  let mayEnd = false;
  void closed.then(() => {
    if (mayEnd) return;
    console.error(`The service has ended by itself: ${child.exitCode ?? child.signalCode}`);
    process.exit(1);
  });
  async function stop(): Promise<number | null> {
    mayEnd = true;
    child.kill('SIGTERM');
    await closed;
    return child.exitCode;
  }
  return { pid, started: parseLine(text), stop };
}
