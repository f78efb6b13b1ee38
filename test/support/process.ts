// Starts the service as a process, as an operator does.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

/** The folder of the project. Tests may run compiled, one folder deeper. */
export const ROOT = fileURLToPath(new URL('.', import.meta.resolve('#package')));

/** The path of the entry point: that of the compiled service, or of the sources for tests that run as TypeScript. */
export const ENTRY = fileURLToPath(new URL(`../../src/main${extname(import.meta.url)}`, import.meta.url));

export type Environment = Readonly<Record<string, string>>;
type LogLine = Readonly<Record<string, unknown>> & { readonly time: string; readonly message: string };

/** Starts the service, as `startProcess` does. It ends with the test `t`. */
export function spawnService(t: TestContext, ...how: Parameters<typeof startProcess>) {
  const service = startProcess(...how);
  t.after(async () => {
    service.child.kill('SIGKILL');
    service.child.stdout?.destroy();
    await service.closed;
  });
  return service;
}

/** The reason why tests that send signals are skipped here, or false. */
export const NO_SIGNALS = process.platform === 'win32' && 'a signal to another process just ends it on Windows';

/** The flags that make node run `script` before the service. */
export const importing = (script: string) => ['--import', `data:text/javascript,${encodeURIComponent(script)}`];

const children = new Set<ChildProcess>();
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** Ends `child` when this process ends. */
export const endWithUs = (child: ChildProcess) => void children.add(child);

/** Waits for a line of what a program prints, and returns what `pattern` captures. What comes later is discarded. */
export async function lineOf(output: Readable, pattern: RegExp): Promise<string> {
  const lines = createInterface({ input: output });
  for await (const [line] of on(lines, 'line', { close: ['close'] })) {
    const match = pattern.exec(line);
    if (match === null) continue;
    lines.close();
    output.resume();
    return match[1] ?? '';
  }
  throw new Error(`The program has ended before it printed ${pattern}.`);
}

/**
 * Starts the service. Its environment is `env`, and the variable for coverage when coverage is measured. It gets the
 * sockets with these descriptors of this process, as sd_listen_fds(3) defines it. It ends with this process.
 */
export function startProcess(env: Environment, nodeFlags: readonly string[] = [], sockets: readonly number[] = []) {
  const { NODE_V8_COVERAGE } = process.env;
  const own = [process.execPath, ...nodeFlags, ENTRY];
  const isHanding = sockets.length > 0; // then a shell sets LISTEN_PID, and exec replaces it by node, which has its id
  const [command = '', ...args] = isHanding ? ['/bin/sh', '-c', 'LISTEN_PID=$$ exec "$0" "$@"', ...own] : own;
  const child = spawn(command, args, {
    env: { ...env, NODE_V8_COVERAGE, LISTEN_FDS: isHanding ? String(sockets.length) : undefined },
    stdio: ['ignore', 'pipe', 'inherit', ...sockets],
  });
  endWithUs(child);
  assert.ok(child.stdout);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const closed = once(child, 'close');

  return {
    child,
    closed,
    nextLine: async (): Promise<LogLine> => {
      const { value = assert.fail('The service has ended') } = await lines.next();
      return JSON.parse(value);
    },
    /** Resolves when the process has ended, with all log lines that have not been read, and with how it ended. */
    ended: async () => {
      const rest: LogLine[] = [];
      for await (const line of lines) rest.push(JSON.parse(line));
      await closed;
      return { lines: rest, code: child.exitCode, signal: child.signalCode };
    },
  };
}

/** A log line without its time. */
export const untimed = ({ time, ...line }: LogLine) => line;

/** The address in the start-up line: `http://127.0.0.1:8080`, `descriptor 3`. */
export function addressIn({ message, address }: LogLine): string {
  assert.equal(message, 'Listening');
  return String(address);
}

/** The port in the start-up line. */
export const portIn = (line: LogLine) => Number(new URL(addressIn(line)).port);
