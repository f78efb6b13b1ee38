// npm run test:fleet: restarts the service under load, as deploy/README.md says. Exits with 1 if a request is lost.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { descriptorOpenedBy } from '../../support/descriptors.ts';
import { addressIn, startProcess, type Environment } from '../../support/process.ts';
import { startLoad } from './load.ts';
import { HELD_PORT, MEMBER_PORTS, PROXY_PORT, PROXY_TLS_PORT, startHaproxy, startNginx, TLS } from './proxies.ts';

type Proxy = Readonly<{ stop: () => Promise<void>; isUsedAgain?: (process: number) => Promise<unknown> }>;
type Way = Readonly<{
  title: string;
  rounds: number;
  ports: readonly number[]; // of processes
  startProxy?: (isTls: boolean) => Promise<Proxy>; // before them: clients connect there, with and without TLS
  env?: Environment;
  fd?: number; // a listening socket of this process, which is handed over
  isEverDown?: boolean; // nobody listens during a restart
}>;

// A listening socket such as a supervisor has: it stays open, and this process accepts no connection from it. Node
// accepts connections in its event loop. So a thread listens, and its event loop is blocked from then on.
const LISTEN = `require('node:net').createServer().listen(${HELD_PORT}, '127.0.0.1', () => {
  require('node:worker_threads').parentPort.postMessage('listening');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;
const heldFd = await descriptorOpenedBy(() => once(new Worker(LISTEN, { eval: true }), 'message'));

const MEMBERS = { rounds: 2, ports: MEMBER_PORTS };
const WAYS: readonly Way[] = [
  { ...MEMBERS, title: 'HAProxy', startProxy: (isTls) => startHaproxy(isTls, false) },
  { ...MEMBERS, title: 'HAProxy on TCP', startProxy: (isTls) => startHaproxy(isTls, true),
    env: { PROXY_PROTOCOL: '127.0.0.1' } },
  { ...MEMBERS, title: 'nginx', startProxy: startNginx, rounds: 4 },
  { title: 'a socket that is handed over', rounds: 12, ports: [HELD_PORT], fd: heldFd },
  { title: 'a port of its own', rounds: 12, ports: [PROXY_PORT], isEverDown: true },
];

setTimeout(() => process.exit(1), 480_000); // whatever happens
console.log(`Node ${process.version}`);
for (const isTls of [false, true]) for (const way of WAYS) await restart(way, isTls);
process.exit();

async function restart({ title, rounds, ports, startProxy, env, fd, isEverDown = false }: Way, isTls: boolean) {
  const environments = ports.map((port): Environment => ({
    ...env, ALLOWED_HOSTS: 'localhost', LISTEN_FDNAMES: isTls ? 'https' : 'http',
    ...(isTls ? { ...TLS, PORT: '0', HTTPS_PORT: `${port}` } : { PORT: `${port}` }),
  }));
  const stops = await Promise.all(environments.map((one) => startService(one, fd)));
  const proxy = await startProxy?.(isTls);
  const plain = { host: '127.0.0.1', servername: 'localhost', headers: { Host: 'localhost' } };
  const secure = { ...plain, ca: readFileSync(TLS.TLS_CERT_FILE) };
  const alone = ports.map((port) => ({ ...(isTls ? secure : plain), port }));
  const both = [{ ...plain, port: PROXY_PORT }, { ...secure, port: PROXY_TLS_PORT }];
  const load = startLoad(proxy === undefined ? alone : both, isEverDown);
  for (let round = 0; round < rounds; round += 1) {
    await load.more();
    for (const [i, one] of environments.entries()) {
      await stops[i]?.();
      const isUsedAgain = proxy?.isUsedAgain?.(i);
      stops[i] = await startService(one, fd);
      await isUsedAgain;
    }
  }
  await load.more();
  await load.stop(`${isTls ? 'TLS' : 'TCP'} to the service, ${title}, ${rounds * ports.length} restarts`);
  await Promise.all(stops.map((stop) => stop())); // before the proxy, so that none loses a check in the middle
  await proxy?.stop();
}

async function startService(env: Environment, fd?: number): Promise<() => Promise<void>> {
  const { child, nextLine, ended } = startProcess(env, [], fd === undefined ? [] : [fd]);
  addressIn(await nextLine());
  return async () => {
    child.kill('SIGTERM');
    const { lines, code } = await ended();
    const isBad = lines.some(({ level, requestsCut = 0 }) => level === 'error' || requestsCut !== 0);
    if (code !== 0 || isBad) throw new Error(`The service has ended with ${code}: ${JSON.stringify(lines)}`);
  };
}
