// The servers beside which the service is measured. Those of others answer by themselves, with one process.
import { writeFileSync } from 'node:fs';
import { temporaryFolder } from '../../support/certificates.ts';
import { nodeProgram, scriptPath, startServer, type Program, type Programs } from './processes.ts';

const PORT = 12_085; // of those that cannot say which they have; test:fleet uses those before it
const FOLDER = temporaryFolder();

export const BARE: Program = nodeProgram(scriptPath('baseline'));

function configured(name: string, args: readonly string[], configuration: string): Program {
  const file = `${FOLDER}/${name}.conf`;
  writeFileSync(file, configuration);
  const script = `echo http://127.0.0.1:${PORT}; exec "$0" "$@"`;
  return { command: ['/bin/sh', '-c', script, name, ...args, file], isPlain: true };
}

const haproxy = (...lines: readonly string[]) => configured('haproxy', ['-db', '-f'], `global
  nbthread 1
  maxconn 4000
defaults
  timeout connect 5s
  timeout client 75s
  timeout server 75s
listen all
  bind 127.0.0.1:${PORT}
  ${lines.join('\n  ')}
`);

/** HAProxy on TCP, and not on the CPU of the server with this port that it is before; `options` are those of that. */
export const haproxyBefore = (port: number, options: string): Program =>
  ({ ...haproxy('mode tcp', `server one 127.0.0.1:${port} ${options}`), cpu: 'clients' });

const BUFFERS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((one) => `${one}_temp_path ${FOLDER}/${one};`);

const framework = (FRAMEWORK: string) => (FOLDER = '.'): Program =>
  ({ ...nodeProgram(scriptPath('framework'), { FRAMEWORK, FOLDER }), isPlain: true });

const OTHERS: Readonly<Record<string, (value?: string) => Program>> = {
  node: () => BARE,
  haproxy: () => haproxy('mode http', 'http-request return status 200 content-type text/plain string Hello'),
  nginx: () => configured('nginx', ['-e', 'stderr', '-c'], `daemon off; master_process off; pid ${FOLDER}/pid;
events { worker_connections 4000; }
http { access_log off; ${BUFFERS.join(' ')} server { listen 127.0.0.1:${PORT}; location / { return 200 Hello; } } }`),
  fastify: framework('fastify'), hono: framework('hono'), polka: framework('polka'),
};

/** The servers of a list such as `haproxy,fastify=FOLDER,before=SCRIPT`. Those that cannot be started are left out. */
export async function findServers(list: string): Promise<Programs> {
  const found: [string, Program][] = [];
  for (const [name = '', value] of list.split(',').filter(Boolean).map((one) => one.split('='))) {
    const program = OTHERS[name]?.(value) ?? nodeProgram(value ?? name);
    try {
      (await startServer(program)).stop();
      found.push([name, program]);
    } catch {
      console.log(`${name} is not installed.`);
    }
  }
  return Object.fromEntries(found);
}
