// The service as a process of its own: the entry that this build has, started as an operator starts it.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'node:test';

// Compiled tests start the compiled entry; tests run from the sources start the sources.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const ENTRY = fileURLToPath(new URL(`../../src/main.${extension}`, import.meta.url));

export type LogLine = { readonly time: string; readonly level: string; readonly message: string; readonly [field: string]: unknown };

export type ServiceProcess = {
  readonly child: ChildProcess;
  /** The next log line; a test waits for lines, never for time. */
  readonly nextLine: () => Promise<LogLine>;
  /** Lines not read yet, all of them, once the process has ended, and how it ended. */
  readonly ended: () => Promise<{ lines: LogLine[]; code: number | null; signal: NodeJS.Signals | null }>;
};

/** Starts the service with `env` and nothing else of the surrounding environment but coverage. */
export function spawnService(t: TestContext, env: Readonly<Record<string, string>>, nodeFlags: readonly string[] = []): ServiceProcess {
  const coverage = process.env['NODE_V8_COVERAGE'];
  const child = spawn(process.execPath, [...nodeFlags, ENTRY], {
    env: { ...env, ...(coverage !== undefined && { NODE_V8_COVERAGE: coverage }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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

/** The port in `Listening on http://127.0.0.1:8080`. */
export function portIn(line: LogLine): number {
  const port = /^Listening on https?:\/\/.*:(\d+)$/.exec(line.message)?.[1];
  if (port === undefined) throw new Error(`Not the start-up line: ${line.message}`);
  return Number(port);
}
