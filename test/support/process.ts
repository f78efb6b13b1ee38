// Starts the service as a process, as an operator does.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'node:test';

// Compiled tests start the compiled service; tests that run as TypeScript start the sources.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
/** The path of the entry point. */
export const ENTRY = fileURLToPath(new URL(`../../src/main.${extension}`, import.meta.url));

export type LogLine = { readonly time: string; readonly level: string; readonly message: string; readonly [field: string]: unknown };

export type ServiceProcess = {
  readonly child: ChildProcess;
  /** Resolves with the next log line. */
  readonly nextLine: () => Promise<LogLine>;
  /** Resolves when the process has ended, with all log lines that have not been read, and with how it ended. */
  readonly ended: () => Promise<{ lines: LogLine[]; code: number | null; signal: NodeJS.Signals | null }>;
};

/** Starts the service. Its environment is `env`, and the variable for coverage when coverage is measured. */
export function spawnService(t: TestContext, env: Readonly<Record<string, string>>, nodeFlags: readonly string[] = []): ServiceProcess {
  return spawnProcess(t, [process.execPath, ...nodeFlags, ENTRY], env);
}

/** The flags that make node run `script` before the service. */
export function importing(script: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(script)}`];
}

/**
 * Starts the service, and hands over the sockets with these descriptors of this process, as sd_listen_fds(3)
 * defines it. LISTEN_PID is the process id of a shell, which exec replaces by node.
 */
export function spawnWithSockets(t: TestContext, descriptors: readonly (number | 'ignore')[], env: Readonly<Record<string, string>>, nodeFlags: readonly string[] = []): ServiceProcess {
  const handOver = ['/bin/sh', '-c', 'LISTEN_PID=$$ exec "$0" "$@"'];
  return spawnProcess(t, [...handOver, process.execPath, ...nodeFlags, ENTRY], { LISTEN_FDS: String(descriptors.length), ...env }, descriptors);
}

/** Starts `command`, which starts the service in the same process. */
export function spawnProcess(t: TestContext, command: readonly string[], env: Readonly<Record<string, string>>, descriptors: readonly (number | 'ignore')[] = []): ServiceProcess {
  const coverage = process.env['NODE_V8_COVERAGE'];
  const [program = '', ...words] = command;
  const child = spawn(program, words, {
    env: { ...env, ...(coverage !== undefined && { NODE_V8_COVERAGE: coverage }) },
    stdio: ['ignore', 'pipe', 'inherit', ...descriptors],
  });
  if (child.stdout === null) throw new Error('The log cannot be read.');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const closed = once(child, 'close');
  t.after(async () => {
    child.kill('SIGTERM');
    await closed;
  });

  async function nextLine(): Promise<LogLine> {
    const { value, done } = await lines.next();
    if (done === true) throw new Error('The service has ended');
    return parseLine(value);
  }
  async function ended() {
    const rest: LogLine[] = [];
    for (let next = await lines.next(); next.done !== true; next = await lines.next()) rest.push(parseLine(next.value));
    await closed;
    return { lines: rest, code: child.exitCode, signal: child.signalCode };
  }
  return { child, nextLine, ended };
}

export function parseLine(text: string): LogLine {
  const line: unknown = JSON.parse(text);
  if (typeof line !== 'object' || line === null) throw new Error(`Not an object: ${text}`);
  const { time, level, message, ...fields } = { time: undefined, level: undefined, message: undefined, ...line };
  if (typeof time !== 'string' || typeof level !== 'string' || typeof message !== 'string') throw new Error(`Not a log line: ${text}`);
  if (new Date(time).toISOString() !== time) throw new Error(`Not a time: ${time}`);
  return { time, level, message, ...fields };
}

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
