// Runs HAProxy and nginx with the configurations that are printed in `deploy`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endWithUs } from '../../support/process.ts';

/** What differs from the printed configuration. The certificate is for localhost, and its issuer is itself. */
export type Place = {
  readonly folder: string;
  readonly port: number;
  readonly tlsPort: number;
  readonly members: readonly number[];
  readonly certFile: string;
  readonly keyFile: string;
  readonly tlsToMembers: boolean;
};

export type Proxy = {
  /** Resolves when it sends requests to the member with this index again, whose process has been restarted. */
  readonly isUsedAgain: (member: number) => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** HAProxy. Harder than printed: it sends no request twice, and even the first of a client may be sent on an idle connection. */
export async function startHaproxy({ folder, port, tlsPort, members, certFile, keyFile, tlsToMembers }: Place): Promise<Proxy> {
  const pem = join(folder, 'greetings.pem');
  writeFileSync(pem, readFileSync(certFile, 'utf8') + readFileSync(keyFile, 'utf8'));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configuration('haproxy.cfg', members, [
    ['bind :80', `bind 127.0.0.1:${port}`],
    ['bind :443', `bind 127.0.0.1:${tlsPort}`],
    ['/etc/haproxy/greetings.pem', pem],
    ['/etc/haproxy/ca.pem', certFile],
    ['option redispatch 1', 'retries 0\n  retry-on none\n  http-reuse always'],
    ...(tlsToMembers ? [['# default-server ssl', 'default-server ssl'] as const] : []),
  ]));
  const { child, stop } = run('haproxy', ['-db', '-f', file]);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next(); // the line on the first health check: HAProxy listens before that
  async function isUsedAgain(member: number): Promise<void> {
    const change = `Server greeting/greeting${member + 1} is UP`;
    for (let { value } = await lines.next(); !value?.startsWith(change);) ({ value } = await lines.next());
  }
  return { isUsedAgain, stop };
}

/** nginx. It checks no member. */
export async function startNginx({ folder, port, tlsPort, members, certFile, keyFile, tlsToMembers }: Place): Promise<Proxy> {
  const printed = configuration('nginx.conf', members, [
    ['listen 80;', `listen 127.0.0.1:${port};`],
    ['listen 443 ssl;', `listen 127.0.0.1:${tlsPort} ssl;`],
    ['/etc/nginx/greetings.pem', certFile],
    ['/etc/nginx/greetings.key', keyFile],
    ['/etc/nginx/ca.pem', certFile],
    ...(tlsToMembers ? [['http://greeting', 'https://greeting'], ['# proxy_ssl', 'proxy_ssl']] as const : []),
  ]);
  const file = join(folder, 'nginx.conf');
  // Each failed attempt is an error, also one that has been repeated elsewhere; what matters here is what the clients get.
  writeFileSync(file, `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {} http { access_log off;
    ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
    ${printed} }`);
  const { stop } = run('nginx', ['-e', join(folder, 'error.log'), '-c', file]);
  await listens(port);
  return { isUsedAgain: () => Promise.resolve(), stop };
}

// A file of `deploy` with its three members, its name and the given texts replaced, each of which it must have.
function configuration(
  name: string, members: readonly number[], replacements: readonly (readonly [printed: string, here: string])[],
): string {
  // Compiled tests are one folder deeper.
  const root = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../..' : '../../../..', import.meta.url));
  const servers = members.map((port, i) => [`192.0.2.${i + 1}:8080`, `127.0.0.1:${port}`] as const);
  return [...servers, ['greetings.example', 'localhost'] as const, ...replacements].reduce((printed, [old, here]) => {
    if (!printed.includes(old)) throw new Error(`deploy/${name} has no "${old}".`);
    return printed.replaceAll(old, here);
  }, readFileSync(join(root, 'deploy', name), 'utf8'));
}

// Runs a program. This process ends when the program ends by itself.
function run(program: string, args: readonly string[]) {
  // Debian installs it in a folder that is only in the PATH of the superuser.
  const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const errors = text(child.stderr).catch(() => '');
  endWithUs(child);
  async function fail(why: unknown): Promise<void> {
    console.error(`${program} must be installed, and run until it is stopped:`, why, await errors);
    process.exit(1);
  }
  child.once('error', fail).once('close', fail);
  const ended = once(child, 'close');
  return {
    child,
    stop: async () => {
      child.off('close', fail).kill('SIGTERM');
      await ended;
    },
  };
}

async function listens(port: number): Promise<void> {
  for (;;) {
    const socket = createConnection({ port, host: '127.0.0.1' });
    const isOpen = await once(socket, 'connect').then(() => true, () => false);
    socket.destroy();
    if (isOpen) return;
    await delay(20);
  }
}
