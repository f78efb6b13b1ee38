// Runs HAProxy in the foreground, reads its log, and asks for its statistics.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { endWithUs } from '../../support/process.ts';
import { haproxyConfiguration, type Member } from './haproxy-configuration.ts';

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

/** Starts HAProxy, and resolves when it accepts connections. This process ends when HAProxy ends by itself. */
export async function startProxy(port: number, members: readonly Member[]): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  const [statsSocket, file] = [join(folder, 'stats.sock'), join(folder, 'haproxy.cfg')];
  writeFileSync(file, haproxyConfiguration(port, members, statsSocket));

  // Debian installs it in a folder that is only in the PATH of the superuser.
  const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };
  const child = spawn('haproxy', ['-db', '-f', file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const errors = text(child.stderr); // it has the health checks, too
  endWithUs(child);
  function fail(why: unknown): void {
    console.error(Object(why).code === 'ENOENT' ? INSTALL : why);
    process.exit(1);
  }
  child.once('error', fail);
  const ended = once(child, 'close');
  let mayEnd = false;
  void ended.then(async ([code]) => { if (!mayEnd) fail(`HAProxy has ended with ${code}. ${await errors}`); }, () => {});

  const failures: string[] = [];
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next(); // the line on the first health check: HAProxy listens before that
  async function hasFound(member: string, state: string): Promise<void> {
    for (let { value } = await lines.next(); !value?.startsWith(`Server fleet/${member} is ${state}`); { value } = await lines.next()) {
      if (value !== undefined && !/^(?:Server|Health check for server) fleet\//.test(value)) failures.push(value);
    }
  }
  async function stop(): Promise<void> {
    mayEnd = true;
    child.kill('SIGTERM');
    await ended;
  }
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
