// Runs HAProxy in the foreground, reads its log, and asks for its statistics.
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
  /** Resolves when HAProxy logs that a member is UP or DOWN. Lines read by an earlier call do not count. */
  readonly hasFound: (member: string, state: 'UP' | 'DOWN') => Promise<void>;
  /** The lines of its log so far on failed requests. */
  readonly failures: readonly string[];
  /** How often it has sent a request again, to the same member or to another. */
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

  // Debian installs it in a folder that is only in the PATH of the superuser.
  const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };
  const child = spawn('haproxy', ['-db', '-f', file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const errors = text(child.stderr);
  endWithUs(child);
  child.once('error', (error) => {
    console.error('code' in error && error.code === 'ENOENT' ? INSTALL : error);
    process.exit(1);
  });
  let mayEnd = false;
  child.once('close', (code) => {
    if (mayEnd) return;
    void errors.then((errorText) => {
      console.error(`haproxy has ended with ${code}. ${errorText}`);
      process.exit(1);
    });
  });

  const failures: string[] = [];
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  async function nextLine(): Promise<string> {
    const { value, done } = await lines.next();
    // When HAProxy has ended, the listener for `close` ends this process.
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
  await nextLine(); // the line on the first health check: HAProxy listens before that
  return { hasFound, failures, retries: async () => retriesIn(await ask(statsSocket, 'show stat')), stop };
}

async function ask(statsSocket: string, command: string): Promise<string> {
  const socket = connect(statsSocket);
  await once(socket, 'connect');
  socket.write(`${command}\n`);
  return text(socket);
}

// Reads CSV: a line of column names, then a line for each frontend, backend and server.
function retriesIn(table: string): number {
  const [columns = [], ...rows] = table.trim().split('\n').map((line) => line.replace(/^# /, '').split(','));
  const kind = columns.indexOf('svname');
  const counted = [columns.indexOf('wretr'), columns.indexOf('wredis')];
  const members = rows.filter((row) => !['FRONTEND', 'BACKEND'].includes(row[kind] ?? ''));
  if (members.length === 0 || counted.includes(-1)) throw new Error(`These are not the statistics of HAProxy: ${table}`);
  return members.flatMap((row) => counted.map((column) => Number(row[column]))).reduce((sum, count) => sum + count, 0);
}
