// Starts the processes of the benchmark, pins each to a CPU where that is possible, and ends them at the end.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

export type Environment = Readonly<Record<string, string>>;

export type NodeProcess = {
  readonly pid: number;
  /** The next line on its stdout. Throws when the process has ended instead. */
  readonly readLine: () => Promise<string>;
  /** Reads and discards everything that it prints from now on. */
  readonly dropOutput: () => void;
  readonly writeLine: (line: string) => void;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  readonly stop: () => Promise<void>;
};

const SERVER_CPU = '0';
/** The CPU of all processes but the server. */
export const LOAD_CPU = '1';

/** Whether `taskset` is installed, and both CPUs may be used. */
export const isPinned = [SERVER_CPU, LOAD_CPU].every((cpu) => spawnSync('taskset', ['-c', cpu, 'true']).status === 0);
// This process reads the access logs of the servers. On the CPU of the server it would take time from it.
if (isPinned) spawnSync('taskset', ['-c', '-p', LOAD_CPU, String(process.pid)]);

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

// `--growth` opens more connections than a server may accept by default.
const SERVER_ENV: Environment = { HOST: '127.0.0.1', PORT: '0', NODE_ENV: 'Production', ACCESS_LOG: 'false', MAX_CONNECTIONS: '5000' };

/** A server, and its ports for HTTP and HTTPS. A port is 0 when that was not asked for. */
export type Server = Pick<NodeProcess, 'pid' | 'ended' | 'stop'> & { readonly port: number; readonly tlsPort: number };

/**
 * Starts a server and waits until it has printed its addresses of these schemes. `env` is added to the environment, `options` are for
 * node.
 */
export async function startServer(
  script: string, env: Environment = {}, options: readonly string[] = [], schemes: readonly string[] = ['http'],
): Promise<Server> {
  const { pid, readLine, dropOutput, ended, stop } = startNode(script, SERVER_CPU, [], { ...SERVER_ENV, ...env }, options);
  const ports = new Map<string, number>();
  while (schemes.some((scheme) => !ports.has(scheme))) {
    const [, scheme, port] = /(https?):\/\/127\.0\.0\.1:(\d+)/.exec(await readLine()) ?? [];
    if (scheme !== undefined) ports.set(scheme, Number(port));
  }
  dropOutput();
  return { pid, port: ports.get('http') ?? 0, tlsPort: ports.get('https') ?? 0, ended, stop };
}

/** Starts a script as a process on this CPU. `env` is added to the environment. `options` are for node. */
export function startNode(
  script: string, cpu: string, args: readonly string[] = [], env: Environment = {}, options: readonly string[] = [],
): NodeProcess {
  const command = [...(isPinned ? ['taskset', '-c', cpu] : []), process.execPath, ...options, script, ...args];
  const [file = '', ...rest] = command;
  const child = spawn(file, rest, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
  running.add(child);
  const output = createInterface({ input: child.stdout });
  const lines = output[Symbol.asyncIterator]();
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    pid: child.pid ?? 0,
    async readLine() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${script} has ended.`);
      return value;
    },
    dropOutput() {
      output.close();
      child.stdout.resume();
    },
    ended,
    writeLine: (line) => child.stdin.write(`${line}\n`),
    stop() {
      running.delete(child);
      child.kill('SIGKILL');
      return ended;
    },
  };
}
