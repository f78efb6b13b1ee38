// Starts the processes of the benchmark, and pins each to a CPU where that is possible. They end with this one.
import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { endWithUs, type Environment } from '../../support/process.ts';

export type Server = Awaited<ReturnType<typeof startServer>>;

/** Servers that are compared: the script of each, by name. */
export type Servers = ReadonlyMap<string, string>;

const SERVER_CPU = '0';
const LOAD_CPU = '1';

/** Whether `taskset` is installed, and both CPUs may be used. */
export const isPinned = [SERVER_CPU, LOAD_CPU].every((cpu) => spawnSync('taskset', ['-c', cpu, 'true']).status === 0);
// The clients are in this process. On the CPU of the server they would take time from it.
if (isPinned) spawnSync('taskset', ['-c', '-p', LOAD_CPU, String(process.pid)]);

const SERVER_ENV = { HOST: '127.0.0.1', PORT: '0', NODE_ENV: 'Production', ACCESS_LOG: 'false' };

/** Starts a server and waits until it has printed its addresses. `env` is added to the environment, `options` are for node. */
export async function startServer(script: string, env: Environment = {}, options: readonly string[] = []) {
  const child = spawnNode(SERVER_CPU, [...options, script], { ...SERVER_ENV, ...env }, ['ignore', 'pipe', 'inherit']);
  const { pid = 0, stdout } = child;
  if (stdout === null) throw new Error('What it prints cannot be read.');
  const ended = once(child, 'exit');
  const ports = new Map<string | undefined, number>();
  for await (const line of createInterface({ input: stdout })) {
    const [, scheme, port] = /(https?):\/\/127\.0\.0\.1:(\d+)/.exec(line) ?? [];
    if (scheme !== undefined) ports.set(scheme, Number(port));
    if (ports.size === ('HTTPS_PORT' in env ? 2 : 1)) break;
  }
  stdout.resume(); // reads and discards what it prints from now on
  return {
    pid,
    /** Its ports; 0 when it does not listen for HTTPS. */
    port: ports.get('http') ?? 0,
    tlsPort: ports.get('https') ?? 0,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Starts a script that gets and sends messages, on the CPU of the load. */
export function startOnLoadCpu(script: string, args: readonly (string | number)[]): ChildProcess {
  return spawnNode(LOAD_CPU, [script, ...args.map(String)], {}, ['ignore', 'inherit', 'inherit', 'ipc']);
}

function spawnNode(cpu: string, args: readonly string[], env: Environment, stdio: StdioOptions): ChildProcess {
  const [file = '', ...rest] = [...(isPinned ? ['taskset', '-c', cpu] : []), process.execPath, ...args];
  const child = spawn(file, rest, { env: { ...process.env, ...env }, stdio });
  endWithUs(child);
  return child;
}
