// Starts the service as a process, as an operator does.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

// Compiled tests start the compiled service; tests that run as TypeScript start the sources.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
/** The path of the entry point. */
export const ENTRY = fileURLToPath(new URL(`../../src/main.${extension}`, import.meta.url));

export type Environment = Readonly<Record<string, string>>;
type Descriptors = readonly number[]; // of this process; the first is 3 in the other one
type LogLine = Readonly<Record<string, unknown>> & { readonly time: string; readonly message: string };

/** Starts the service, as `startProcess` does. It ends with the test `t`. */
export function spawnService(t: TestContext, env: Environment, nodeFlags?: readonly string[], sockets?: Descriptors) {
  const service = startProcess(env, nodeFlags, sockets);
  t.after(async () => {
    service.child.kill('SIGKILL');
    service.child.stdout?.destroy();
    await service.closed;
  });
  return service;
}

/** The flags that make node run `script` before the service. */
export function importing(script: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(script)}`];
}

const children = new Set<ChildProcess>();
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')));

/** Ends `child` when this process ends. */
export function endWithUs(child: ChildProcess): void {
  children.add(child);
  child.once('exit', () => children.delete(child));
}

/**
 * Starts the service. Its environment is `env`, and the variable for coverage when coverage is measured. It gets the
 * sockets with these descriptors of this process, as sd_listen_fds(3) defines it. It ends with this process.
 */
export function startProcess(env: Environment, nodeFlags: readonly string[] = [], sockets: Descriptors = []) {
  const { NODE_V8_COVERAGE } = process.env;
  const LISTEN_FDS = sockets.length === 0 ? '' : String(sockets.length);
  const command = 'LISTEN_PID=$$ exec "$0" "$@"'; // exec replaces the shell by node, which has its id then
  const child = spawn('/bin/sh', ['-c', command, process.execPath, ...nodeFlags, ENTRY], {
    env: { LISTEN_FDS, ...env, ...(NODE_V8_COVERAGE !== undefined && { NODE_V8_COVERAGE }) },
    stdio: ['ignore', 'pipe', 'inherit', ...sockets],
  });
  endWithUs(child);
  assert.ok(child.stdout);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const closed = once(child, 'close');

  return {
    child,
    closed,
    /** The next line of the log. */
    nextLine: async (): Promise<LogLine> => {
      const { value, done } = await lines.next();
      if (done === true) throw new Error('The service has ended');
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
  if (message !== 'Listening' || typeof address !== 'string') throw new Error(`Not the start-up line: ${message}`);
  return address;
}

/** The port in the start-up line. */
export function portIn(line: LogLine): number {
  const [, port] = /:(\d+)$/.exec(addressIn(line)) ?? assert.fail(line.message);
  return Number(port);
}
