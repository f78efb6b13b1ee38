// Starts the processes of the benchmark. Servers have a CPU to themselves, clients another. All end with this one.
import { spawn, spawnSync } from 'node:child_process';
import { on } from 'node:events';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { endWithUs, ENTRY, type Environment } from '../../support/process.ts';

/** A server that can be started: its script, which prints its addresses, and its environment. Several, by name. */
export type Program = { readonly script: string; readonly env?: Environment };
export type Programs = Readonly<Record<string, Program>>;

const CPUS = { server: '0', clients: '1' };
const SERVER_ENV = { HOST: '127.0.0.1', PORT: '0', NODE_ENV: 'Production' };

/** The path of a script in this folder, compiled or not, as that of the service. */
export const scriptPath = (name: string) => `${import.meta.dirname}/${name}${extname(ENTRY)}`;
export const BASELINE: Program = { script: scriptPath('baseline') };
export const SERVICE: Program = { script: ENTRY };
spawnSync('taskset', ['-c', '-p', CPUS.clients, String(process.pid)]); // clients are in this process, too

/** Starts a server, and waits until it has printed its address: with HTTPS_PORT in `more`, that for HTTPS. */
export async function startServer({ script, env }: Program, more: Environment = {}, nodeFlags: readonly string[] = []) {
  const address = new RegExp(`${'HTTPS_PORT' in more ? 'https' : 'http'}://127\\.0\\.0\\.1:(\\d+)`);
  const command = [process.execPath, ...nodeFlags, script];
  const { child, printed, stop } = await start('server', command, { ...SERVER_ENV, ...env, ...more }, address);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return { pid: child.pid ?? 0, port: Number(printed), stop, isRunning };
}

/** Starts a program, waits for a line with `pattern`, and returns what that captures. What comes later is discarded. */
export async function start(cpu: keyof typeof CPUS, command: readonly string[], more: Environment, pattern: RegExp) {
  const env = { ...process.env, ...more };
  const child = spawn('taskset', ['-c', CPUS[cpu], ...command], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  endWithUs(child);
  for await (const [line] of on(createInterface({ input: child.stdout }), 'line', { close: ['close'] })) {
    const printed = pattern.exec(line)?.[1];
    if (printed !== undefined) return { child, printed, stop: () => void child.kill('SIGKILL') };
  }
  throw new Error(`${command.join(' ')} has ended.`);
}
