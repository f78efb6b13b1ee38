// Starts the service as a process, as an operator does.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'node:test';

// Compiled tests start the compiled service; tests that run as TypeScript start the sources.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
/** The path of the entry point. */
export const ENTRY = fileURLToPath(new URL(`../../src/main.${extension}`, import.meta.url));

export type Environment = Readonly<Record<string, string>>;
type Descriptors = readonly number[]; // of this process; the first is 3 in the other one
type LogLine = { readonly time: string; readonly level: string; readonly message: string; readonly [field: string]: unknown };

/** Starts the service, and hands over the sockets with these descriptors. It ends with the test `t`. */
export function spawnService(t: TestContext, env: Environment, nodeFlags?: readonly string[], descriptors?: Descriptors) {
  const service = startProcess(env, nodeFlags, descriptors);
  const { child } = service;
  const closed = once(child, 'close');
  t.after(async () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGCONT'] as const) child.kill(signal); // the second one does not wait
    child.stdout?.destroy();
    await closed;
  });
  return service;
}

/** The flags that make node run `script` before the service. */
export function importing(script: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(script)}`];
}

/** Ends `child` when this process ends. */
export function endWithUs(child: ChildProcess): void {
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
}

/**
 * Starts the service. Its environment is `env`, and the variable for coverage when coverage is measured. It gets the sockets with these
 * descriptors of this process, as sd_listen_fds(3) defines it. It ends, at the latest, with this process.
 */
export function startProcess(env: Environment, nodeFlags: readonly string[] = [], descriptors: Descriptors = []) {
  const coverage = process.env['NODE_V8_COVERAGE'];
  const command = [process.execPath, ...nodeFlags, ENTRY];
  const hasSockets = descriptors.length > 0; // then LISTEN_PID is the process id of a shell, which exec replaces by node
  const [program = '', ...args] = hasSockets ? ['/bin/sh', '-c', 'LISTEN_PID=$$ exec "$0" "$@"', ...command] : command;
  const sockets = hasSockets && { LISTEN_FDS: String(descriptors.length) };
  const child = spawn(program, args, {
    env: { ...sockets, ...env, ...(coverage !== undefined && { NODE_V8_COVERAGE: coverage }) },
    stdio: ['ignore', 'pipe', 'inherit', ...descriptors],
  });
  endWithUs(child);
  if (child.stdout === null) throw new Error('The log cannot be read.');
  const lines = linesOf(child.stdout);
  const closed = once(child, 'close');

  return {
    child,
    /** The next line of the log. No more of it is read than is asked for, and what the pipe holds. */
    nextLine: async (): Promise<LogLine> => {
      const { value, done } = await lines.next();
      if (done === true) throw new Error('The service has ended');
      return value;
    },
    /** Resolves when the process has ended, with all log lines that have not been read, and with how it ended. */
    ended: async () => {
      const rest: LogLine[] = [];
      for await (const line of lines) rest.push(line);
      await closed;
      return { lines: rest, code: child.exitCode, signal: child.signalCode };
    },
  };
}

async function* linesOf(log: Readable): AsyncGenerator<LogLine, void, void> {
  let rest = '';
  for await (const chunk of log.setEncoding('utf8')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines.map(parseLine);
  }
  if (rest !== '') throw new Error(`Not a whole line: ${rest}`);
}

function parseLine(text: string): LogLine {
  const { time, level, message, ...fields } = Object(JSON.parse(text));
  const isKnown = typeof level === 'string' && typeof message === 'string' && new Date(time).toJSON() === time;
  if (!isKnown) throw new Error(`Not a log line: ${text}`);
  return { time, level, message, ...fields };
}

/** A log line without its time. */
export const untimed = ({ time, ...line }: LogLine) => line;

/** The address in the start-up line: `http://127.0.0.1:8080`, `descriptor 3`. */
export function addressIn({ message, address }: LogLine): string {
  if (message !== 'Listening' || typeof address !== 'string') throw new Error(`Not the start-up line: ${message}`);
  return address;
}

/** The port in the start-up line. */
export function portIn(line: LogLine): number {
  const port = /^https?:\/\/.*:(\d+)$/.exec(addressIn(line))?.[1];
  if (port === undefined) throw new Error(`No port: ${addressIn(line)}`);
  return Number(port);
}
