// A real HAProxy: started in the foreground, its log read, its figures asked for.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { haproxyConfiguration, type ProxyOptions } from './haproxy-configuration.ts';
import { endWithUs } from './service-process.ts';

export type Proxy = {
  /** Resolves when it has found a member to be UP or DOWN, since the last time it was asked. */
  readonly hasFound: (member: string, state: 'UP' | 'DOWN') => Promise<void>;
  /** The lines of its log so far that are about failed requests. */
  readonly failures: readonly string[];
  /** How often it has tried a request again, on the same member or on another, instead of failing it. */
  readonly retries: () => Promise<number>;
  readonly stop: () => Promise<void>;
};

const INSTALL = 'haproxy is missing. On Debian and Ubuntu: apt-get install haproxy';

/** Starts HAProxy, and resolves when it accepts connections. */
export async function startProxy(options: Omit<ProxyOptions, 'statsSocket'>): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  const statsSocket = join(folder, 'stats.sock');
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, haproxyConfiguration({ ...options, statsSocket }));

  // Debian keeps it where only the superuser looks.
  const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };
  const child = spawn('haproxy', ['-db', '-f', file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const complaints = text(child.stderr);
  endWithUs(child);
  child.once('error', (error) => {
    console.error('code' in error && error.code === 'ENOENT' ? INSTALL : error);
    process.exit(1);
  });
  let mayEnd = false;
  child.once('close', (code) => {
    if (mayEnd) return;
    void complaints.then((words) => {
      console.error(`haproxy has ended with ${code}. ${words}`);
      process.exit(1);
    });
  });

  const failures: string[] = [];
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  async function nextLine(): Promise<string> {
    const { value, done } = await lines.next();
    // Whoever hears that it has ended, says so and ends this process too.
    return done === true ? new Promise<never>(() => {}) : value;
  }
  async function hasFound(member: string, state: string): Promise<void> {
    for (;;) {
      const line = await nextLine();
      if (line.startsWith(`Server fleet/${member} is ${state}`)) return;
      if (!/^(?:Server|Health check for server) fleet\//.test(line)) failures.push(line);
    }
  }
  async function stop(): Promise<void> {
    mayEnd = true;
    child.kill('SIGTERM');
    await once(child, 'close');
  }
  await nextLine(); // about the first health check: by then it listens
  return { hasFound, failures, retries: async () => retriesIn(await ask(statsSocket, 'show stat')), stop };
}

async function ask(statsSocket: string, command: string): Promise<string> {
  const socket = connect(statsSocket);
  await once(socket, 'connect');
  socket.write(`${command}\n`);
  return text(socket);
}

// Comma-separated, a line for each frontend, backend and server, under a line of column names.
function retriesIn(table: string): number {
  const [columns = [], ...rows] = table.trim().split('\n').map((line) => line.replace(/^# /, '').split(','));
  const kind = columns.indexOf('svname');
  const counted = [columns.indexOf('wretr'), columns.indexOf('wredis')];
  const members = rows.filter((row) => !['FRONTEND', 'BACKEND'].includes(row[kind] ?? ''));
  if (members.length === 0 || counted.includes(-1)) throw new Error(`Not the figures of haproxy: ${table}`);
  return members.flatMap((row) => counted.map((column) => Number(row[column]))).reduce((sum, count) => sum + count, 0);
}
