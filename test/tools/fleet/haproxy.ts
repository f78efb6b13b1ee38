// Runs HAProxy in the foreground, and reads its log.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { folderOfProcess } from '../../support/certificates.ts';
import { endWithUs } from '../../support/process.ts';

export type Member = { readonly name: string; readonly port: number };

export type Proxy = {
  /** Resolves when HAProxy logs that a member is UP or DOWN. Lines read by an earlier call do not count. */
  readonly hasFound: (member: string, state: 'UP' | 'DOWN') => Promise<void>;
  /** The lines of its log so far on failed requests. */
  readonly failures: readonly string[];
  readonly stop: () => Promise<void>;
};

// A usual one, without the options that hide a lost request.
const configuration = (port: number, members: readonly Member[]) => `
global
  log stdout format raw local0 notice

defaults
  mode http
  log global
  option httplog
  # Failed requests are logged. Successful ones have a lower level, which is not logged.
  option log-separate-errors
  timeout connect 2s
  timeout client 30s
  timeout server 30s
  timeout check 1s
  # No request is sent twice. When a member does not answer, the request is lost, and the client notices.
  retries 0
  retry-on none
  no option redispatch

frontend clients
  bind 127.0.0.1:${port}
  default_backend fleet

backend fleet
  balance roundrobin
  # This is the hardest case: every request, also the first of a client, may be sent on an idle connection.
  http-reuse always
  option httpchk
  http-check send meth GET uri /health ver HTTP/1.1 hdr Host fleet
  http-check expect status 200
  option log-health-checks
  default-server check inter 200ms fall 2 rise 2
${members.map((member) => `  server ${member.name} 127.0.0.1:${member.port}`).join('\n')}
`;

/** Starts HAProxy, and resolves when it accepts connections. This process ends when HAProxy ends by itself. */
export async function startProxy(port: number, members: readonly Member[]): Promise<Proxy> {
  const file = join(folderOfProcess(), 'haproxy.cfg');
  writeFileSync(file, configuration(port, members));

  // Debian installs it in a folder that is only in the PATH of the superuser.
  const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };
  const child = spawn('haproxy', ['-db', '-f', file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const errors = text(child.stderr); // it has the health checks, too
  endWithUs(child);
  function fail(why: unknown): void {
    console.error(Object(why).code === 'ENOENT' ? 'haproxy is missing. On Debian and Ubuntu: apt-get install haproxy' : why);
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
  return { hasFound, failures, stop };
}
