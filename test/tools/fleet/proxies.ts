// Runs HAProxy and nginx with the configurations that are printed in `deploy`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { folderOfProcess, tlsVariables } from '../../support/certificates.ts';
import { endWithUs } from '../../support/process.ts';

// From 32768 on, Linux could give a port away while its process restarts.
export const [PROXY_PORT, PROXY_TLS_PORT, MEMBER_PORTS] = [12_080, 12_443, [12_081, 12_082, 12_083]];
export const TLS = tlsVariables(); // the certificate of all, for localhost

/** `isUsedAgain` resolves when requests go again to the process with this index, which starts after the call. */
export type Proxy = { readonly isUsedAgain: (index: number) => Promise<void>; readonly stop: () => Promise<void> };

const root = new URL(import.meta.url.endsWith('.ts') ? '../../../' : '../../../../', import.meta.url); // of the project
const folder = folderOfProcess();
const { TLS_CERT_FILE: cert, TLS_KEY_FILE: key } = TLS;

/** HAProxy, harder than printed: no request is sent twice, and even a client's first one on an idle connection. */
export async function startHaproxy(isTlsBehind: boolean): Promise<Proxy> {
  const pem = save('greetings.pem', readFileSync(cert, 'utf8') + readFileSync(key, 'utf8'));
  const file = save('haproxy.cfg', printed('haproxy.cfg', [
    ['bind :80', `bind 127.0.0.1:${PROXY_PORT}`],
    ['bind :443', `bind 127.0.0.1:${PROXY_TLS_PORT}`],
    ['/etc/haproxy/greetings.pem', pem],
    ['/etc/haproxy/ca.pem', cert],
    ['option redispatch 1', 'retries 0\n  retry-on none\n  http-reuse always'],
    ['# default-server ssl', isTlsBehind ? 'default-server ssl' : '#'],
  ]));
  const { prints, stop } = run('haproxy', ['-db', '-f', file]);
  await prints('Health check'); // it listens before that
  return { isUsedAgain: (index) => prints(`Server greeting/greeting${index + 1} is UP`), stop };
}

/** nginx. It checks no process. */
export async function startNginx(isTlsBehind: boolean): Promise<Proxy> {
  const parts = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((one) => `${one}_temp_path ${folder}/${one};`);
  const start = `daemon off; pid ${folder}/pid; error_log stderr notice; events {} http { ${parts.join(' ')}`;
  const file = save('nginx.conf', `${start} access_log off;\n${printed('nginx.conf', [
    ['listen 80;', `listen 127.0.0.1:${PROXY_PORT};`],
    ['listen 443 ssl;', `listen 127.0.0.1:${PROXY_TLS_PORT} ssl;`],
    ['/etc/nginx/greetings.pem', cert],
    ['/etc/nginx/greetings.key', key],
    ['/etc/nginx/ca.pem', cert],
    ['http://greeting', isTlsBehind ? 'https://greeting' : 'http://greeting'],
    ['# proxy_ssl', isTlsBehind ? 'proxy_ssl' : '#'],
  ])}}`);
  const { prints, stop } = run('nginx', ['-e', 'stderr', '-c', file]);
  await prints('start worker process'); // it listens before that
  return { isUsedAgain: () => Promise.resolve(), stop };
}

// A file of `deploy` with its texts replaced, each of which it must have.
function printed(name: string, replacements: readonly (readonly [string, string])[]): string {
  const members = MEMBER_PORTS.map((port, i) => [`192.0.2.${i + 1}:8080`, `127.0.0.1:${port}`] as const);
  let text = readFileSync(new URL(`deploy/${name}`, root), 'utf8');
  for (const [there, here] of [...members, ['greetings.example', 'localhost'] as const, ...replacements]) {
    if (!text.includes(there)) throw new Error(`deploy/${name} has no "${there}".`);
    text = text.replaceAll(there, here);
  }
  return text;
}

function save(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

// Runs a program. `prints` resolves when it prints a line with this text.
function run(program: string, args: readonly string[]) {
  const env = { PATH: `${process.env['PATH']}:/usr/sbin` }; // there Debian installs them
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  endWithUs(child);
  const output = createInterface({ input: child.stderr });
  const fail = (why: unknown) => { throw new Error(`${program} does not run: ${String(why)}`); };
  child.once('error', fail).once('close', fail);
  return {
    prints: (text: string) => new Promise<void>((resolve) =>
      output.on('line', (line) => void (line.includes(text) && resolve()))),
    stop: async () => {
      child.off('close', fail).kill('SIGTERM');
      await once(child, 'close');
    },
  };
}
