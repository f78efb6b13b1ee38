// Starts the processes of the benchmark. Servers have a CPU to themselves, clients another. All end with this one.
import { spawn, spawnSync } from 'node:child_process';
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestBytes } from '../../support/exchange.ts';
import { endWithUs, ENTRY, lineOf, type Environment } from '../../support/process.ts';
import { ask, openSocket } from './clients.ts';

const CPUS = { server: '0', clients: '1' };

/** A server: the command that prints its addresses, its environment, whether it has no TLS, and its CPU. */
export type Program = Readonly<{
  command: readonly string[]; env?: Environment; isPlain?: boolean; cpu?: keyof typeof CPUS;
}>;
export type Programs = Readonly<Record<string, Program>>;

const SERVER_ENV = { HOST: '127.0.0.1', PORT: '0', NODE_ENV: 'Production' };
const PATH = `${process.env['PATH']}:/usr/sbin`; // there Debian installs proxies

/** The path of a script in this folder, compiled or not, as that of the service. */
export const scriptPath = (name: string) => `${import.meta.dirname}/${name}${extname(ENTRY)}`;
export const nodeProgram = (script: string, env: Environment = {}) => ({ command: [process.execPath, script], env });
export const SERVICE: Program = nodeProgram(ENTRY);
spawnSync('taskset', ['-c', '-p', CPUS.clients, String(process.pid)]); // clients are in this process, too

/** Starts a server, and waits for its first reply: with HTTPS_PORT in `more`, over TLS. */
export async function startServer(program: Program, more: Environment = {}, nodeFlags: string[] = []) {
  const { command, env, cpu = 'server' } = program;
  const isTls = 'HTTPS_PORT' in more;
  const address = new RegExp(`${isTls ? 'https' : 'http'}://127\\.0\\.0\\.1:(\\d+)`);
  const all = command[0] === process.execPath ? command.toSpliced(1, 0, ...nodeFlags) : command;
  const { child, printed, stop } = await start(cpu, all, { ...SERVER_ENV, ...env, ...more }, address);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const port = Number(printed);
  const from = '127.0.0.2'; // not that of HAProxy, whose connections may have to begin with a header
  while (await ask(openSocket({ port, isTls, from }), requestBytes('GET', '/health')) === undefined) {
    if (!isRunning()) throw new Error(`${command.join(' ')} has ended.`);
    await sleep(10);
  }
  return { child, pid: child.pid ?? 0, port, stop, isRunning };
}

/** Starts a program, and waits for a line with `pattern`. `printed` is what that captures. */
export async function start(cpu: keyof typeof CPUS, command: readonly string[], more: Environment, pattern: RegExp) {
  const env = { ...process.env, PATH, ...more };
  // In a session of its own: a CPU is shared among sessions first, so attackers, however many, are one of them.
  const child = spawn('taskset', ['-c', CPUS[cpu], ...command], {
    env, detached: true, stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithUs(child);
  return { child, printed: await lineOf(child.stdout, pattern), stop: () => void child.kill('SIGKILL') };
}
