// The processes of a bench: each pinned to a CPU where that can be done, and none left behind.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

export type NodeProcess = {
  readonly pid: number;
  /** The next line on its stdout. Throws when it has ended instead. */
  readonly readLine: () => Promise<string>;
  readonly writeLine: (line: string) => void;
  readonly stop: () => Promise<void>;
};

export type Server = NodeProcess & { readonly port: number };

const SERVER_CPU = '0';
const LOAD_CPU = '1';

/** Whether `taskset` is here, and both CPUs are ours. */
export const isPinned = [SERVER_CPU, LOAD_CPU].every((cpu) => spawnSync('taskset', ['-c', cpu, 'true']).status === 0);

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Starts the load generator. */
export function startLoad(): NodeProcess {
  return startNode(`${import.meta.dirname}/load.js`, LOAD_CPU);
}

/** Starts a server, and waits until it has named its address. */
export async function startServer(script: string): Promise<Server> {
  const server = startNode(script, SERVER_CPU);
  for (;;) {
    const [, port] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(await server.readLine()) ?? [];
    if (port !== undefined) return { ...server, port: Number(port) };
  }
}

function startNode(script: string, cpu: string): NodeProcess {
  const args = [...(isPinned ? ['-c', cpu, process.execPath] : []), script];
  const env = { ...process.env, HOST: '127.0.0.1', PORT: '0', NODE_ENV: 'Production' };
  const child = spawn(isPinned ? 'taskset' : process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  running.add(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    pid: child.pid ?? 0,
    async readLine() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${script} has ended.`);
      return value;
    },
    writeLine: (line) => child.stdin.write(`${line}\n`),
    stop() {
      running.delete(child);
      child.kill('SIGKILL');
      return exited;
    },
  };
}
