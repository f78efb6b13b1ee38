// Runs HAProxy and nginx with the configurations that are printed in `deploy`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { temporaryFolder, tlsVariables } from '../../support/certificates.ts';
import { endWithUs, lineOf } from '../../support/process.ts';

// From 32768 on, Linux could give a port away while its process restarts.
export const [PROXY_PORT, PROXY_TLS_PORT, MEMBER_PORTS, HELD_PORT] = [12_080, 12_443, [12_081, 12_082, 12_083], 12_084];
export const TLS = tlsVariables(); // the certificate of all, for localhost

const folder = temporaryFolder();
const { TLS_CERT_FILE: cert, TLS_KEY_FILE: key } = TLS;

/**
 * HAProxy, harder than printed: no request is sent twice, and even a client's first one on an idle connection. With
 * `isOnTcp`, it passes connections on, not requests, and names their clients.
 */
export async function startHaproxy(isTlsBehind: boolean, isOnTcp: boolean) {
  writeFileSync(`${folder}/service.pem`, readFileSync(cert, 'utf8') + readFileSync(key, 'utf8'));
  const { prints, stop } = await run('haproxy', ['-db', '-f'], 'Health check', printed('haproxy.cfg', {
    'bind :80': `bind 127.0.0.1:${PROXY_PORT}`,
    'bind :443': `bind 127.0.0.1:${PROXY_TLS_PORT}`,
    '/etc/haproxy/service.pem': `${folder}/service.pem`,
    '/etc/haproxy/ca.pem': cert,
    'option redispatch 1': isOnTcp ? 'retries 0' : 'retries 0\n  retry-on none\n  http-reuse always',
    'mode http': isOnTcp ? 'mode tcp' : 'mode http',
    'default-server check': `default-server check${isOnTcp ? ' send-proxy-v2 check-send-proxy' : ''}`,
    '# default-server ssl': isTlsBehind ? 'default-server ssl' : '#',
  }));
  // Resolves when requests go again to the process with this index, which starts after the call.
  return { isUsedAgain: (index: number) => prints(`Server service/service${index + 1} is UP`), stop };
}

/** nginx. It checks no process. */
export function startNginx(isTlsBehind: boolean) {
  const parts = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((one) => `${one}_temp_path ${folder}/${one};`);
  const servers = printed('nginx.conf', {
    'listen 80;': `listen 127.0.0.1:${PROXY_PORT};`,
    'listen 443 ssl;': `listen 127.0.0.1:${PROXY_TLS_PORT} ssl;`,
    '/etc/nginx/service.pem': cert,
    '/etc/nginx/service.key': key,
    '/etc/nginx/ca.pem': cert,
    'http://service': isTlsBehind ? 'https://service' : 'http://service',
    '# proxy_ssl': isTlsBehind ? 'proxy_ssl' : '#',
  });
  const start = `daemon off; pid ${folder}/pid; error_log stderr notice; events {} http { access_log off;`;
  return run('nginx', ['-e', 'stderr', '-c'], 'start worker process', `${start} ${parts.join(' ')}\n${servers}}`);
}

// A file of `deploy` with its texts replaced, each of which it must have.
function printed(name: string, replacements: Readonly<Record<string, string>>): string {
  const members = Object.fromEntries(MEMBER_PORTS.map((port, i) => [`192.0.2.${i + 1}:8080`, `127.0.0.1:${port}`]));
  let text = readFileSync(new URL(`deploy/${name}`, import.meta.resolve('#package')), 'utf8');
  for (const [there, here] of Object.entries({ ...members, 'service.example': 'localhost', ...replacements })) {
    if (!text.includes(there)) throw new Error(`deploy/${name} has no "${there}".`);
    text = text.replaceAll(there, here);
  }
  return text;
}

// Runs a program, until it prints a line with the text `ready`: it listens before that. `prints` waits for others.
async function run(program: string, args: readonly string[], ready: string, configuration: string) {
  const file = `${folder}/${program}.conf`;
  writeFileSync(file, configuration);
  const env = { PATH: `${process.env['PATH']}:/usr/sbin` }; // there Debian installs them
  const child = spawn(program, [...args, file], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  endWithUs(child);
  const prints = (text: string) => lineOf(child.stderr, new RegExp(text));
  await prints(ready);
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
  };
  return { prints, stop };
}
