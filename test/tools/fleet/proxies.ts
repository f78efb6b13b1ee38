// Runs HAProxy and nginx with the configurations that are printed in `deploy`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { folderOfProcess, makeCertificate } from '../../support/certificates.ts';
import { endWithUs } from '../../support/process.ts';

/** The ports of a proxy, and of the processes behind it. From 32768 on, Linux could give one away while its process restarts. */
export const PORT = 12_080, TLS_PORT = 12_443, MEMBERS = [12_081, 12_082, 12_083];

const folder = folderOfProcess();
/** The files of the certificate, which is for localhost and its own issuer, and of its key. */
export const { certFile: CERTIFICATE, keyFile: KEY } = makeCertificate(folder, 'localhost');

/**
 * HAProxy. Harder than printed: it sends no request twice, and even the first of a client may be sent on an idle connection. `isUsedAgain`
 * resolves when it sends requests again to the member with this index, which starts after the call.
 */
export async function startHaproxy(tlsToMembers: boolean) {
  const pem = join(folder, 'greetings.pem');
  writeFileSync(pem, readFileSync(CERTIFICATE, 'utf8') + readFileSync(KEY, 'utf8'));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configuration('haproxy.cfg', [
    ['bind :80', `bind 127.0.0.1:${PORT}`],
    ['bind :443', `bind 127.0.0.1:${TLS_PORT}`],
    ['/etc/haproxy/greetings.pem', pem],
    ['/etc/haproxy/ca.pem', CERTIFICATE],
    ['option redispatch 1', 'retries 0\n  retry-on none\n  http-reuse always'],
    ...(tlsToMembers ? [['# default-server ssl', 'default-server ssl'] as const] : []),
  ]));
  const { prints, stop } = run('haproxy', ['-db', '-f', file]);
  await prints('Health check'); // it listens before that
  return { isUsedAgain: (member: number) => prints(`Server greeting/greeting${member + 1} is UP`), stop };
}

/** nginx. It checks no member. */
export async function startNginx(tlsToMembers: boolean) {
  const printed = configuration('nginx.conf', [
    ['listen 80;', `listen 127.0.0.1:${PORT};`],
    ['listen 443 ssl;', `listen 127.0.0.1:${TLS_PORT} ssl;`],
    ['/etc/nginx/greetings.pem', CERTIFICATE],
    ['/etc/nginx/greetings.key', KEY],
    ['/etc/nginx/ca.pem', CERTIFICATE],
    ...(tlsToMembers ? [['http://greeting', 'https://greeting'], ['# proxy_ssl', 'proxy_ssl']] as const : []),
  ]);
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `daemon off; pid ${folder}/nginx.pid; error_log stderr notice; events {} http { access_log off;
    ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
    ${printed} }`);
  const { prints, stop } = run('nginx', ['-e', 'stderr', '-c', file]);
  await prints('start worker process'); // it listens before that
  return { isUsedAgain: () => Promise.resolve(), stop };
}

// A file of `deploy` with its three members, its name and the given texts replaced, each of which it must have.
function configuration(name: string, replacements: readonly (readonly [printed: string, here: string])[]): string {
  // Compiled tests are one folder deeper.
  const root = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../..' : '../../../..', import.meta.url));
  const servers = MEMBERS.map((port, i) => [`192.0.2.${i + 1}:8080`, `127.0.0.1:${port}`] as const);
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
  endWithUs(child);
  const awaited = new Map<string, () => void>(); // what to call when a text is printed
  let last = '';
  for (const output of [child.stdout, child.stderr]) {
    createInterface({ input: output }).on('line', (line) => {
      last = line;
      for (const [text, resolve] of awaited) if (line.includes(text)) resolve();
    });
  }
  function fail(why: unknown): void {
    console.error(`${program} must be installed, and run until it is stopped:`, why, last);
    process.exit(1);
  }
  child.once('error', fail).once('close', fail);
  const ended = once(child, 'close');
  return {
    /** Resolves when it prints a line with this text. */
    prints: (text: string) => new Promise<void>((resolve) => { awaited.set(text, resolve); }),
    stop: async () => {
      child.off('close', fail).kill('SIGTERM');
      await ended;
    },
  };
}
