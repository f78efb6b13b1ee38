// npm run test:fleet: restarts the service under load, as deploy/README.md says. Exits with 1 if a request is lost.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { Worker } from 'node:worker_threads';
import { descriptorOpenedBy } from '../../support/descriptors.ts';
import { addressIn, startProcess, type Environment } from '../../support/process.ts';
import { startLoad } from './load.ts';
import { HELD_PORT, MEMBER_PORTS, PROXY_PORT, PROXY_TLS_PORT, startHaproxy, startNginx, TLS } from './proxies.ts';

type Way = Readonly<{
  processes: readonly Environment[];
  addresses: readonly RequestOptions[]; // where clients connect
  rounds: number;
  startProxy?: () => Promise<{ stop: () => Promise<void>; isUsedAgain?: (process: number) => Promise<void> }>;
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

setTimeout(() => process.exit(1), 480_000); // whatever happens
console.log(`Node ${process.version}`);
const plain = (port: number) => ({ host: '127.0.0.1', port, servername: 'localhost', headers: { Host: 'localhost' } });
const secure = (port: number) => ({ ...plain(port), ca: readFileSync(TLS.TLS_CERT_FILE) });
for (const isTls of [false, true]) {
  const ports = (port: number) => (isTls ? { ...TLS, PORT: '0', HTTPS_PORT: String(port) } : { PORT: String(port) });
  const names = { ALLOWED_HOSTS: 'localhost', LISTEN_FDNAMES: isTls ? 'https' : 'http' };
  const environment = (port: number) => ({ ...ports(port), ...names });
  const behind = { processes: MEMBER_PORTS.map(environment), addresses: [plain(PROXY_PORT), secure(PROXY_TLS_PORT)] };
  const alone = (port: number) =>
    ({ processes: [environment(port)], addresses: [isTls ? secure(port) : plain(port)], rounds: 12 });
  const over = `${isTls ? 'TLS' : 'TCP'} to the service,`;
  const named = behind.processes.map((env) => ({ ...env, PROXY_PROTOCOL: '127.0.0.1' }));
  const onTcp = { ...behind, processes: named, startProxy: () => startHaproxy(isTls, true) };
  await restart(`${over} HAProxy`, { ...behind, rounds: 2, startProxy: () => startHaproxy(isTls, false) });
  await restart(`${over} HAProxy on TCP`, { ...onTcp, rounds: 2 });
  await restart(`${over} nginx`, { ...behind, rounds: 4, startProxy: () => startNginx(isTls) });
  await restart(`${over} a socket that is handed over`, { ...alone(HELD_PORT), fd: heldFd });
  await restart(`${over} a port of its own`, { ...alone(PROXY_PORT), isEverDown: true });
}
process.exit();

// In each round, restarts the processes in turn, under load: a new one is started when the old one has ended.
async function restart(title: string, { processes, addresses, rounds, startProxy, fd, isEverDown = false }: Way) {
  const stops = await Promise.all(processes.map((env) => startService(env, fd)));
  const proxy = await startProxy?.();
  const load = startLoad(addresses, isEverDown);
  for (let round = 0; round < rounds; round += 1) {
    await load.more();
    for (const [i, env] of processes.entries()) {
      await stops[i]?.();
      const isUsedAgain = proxy?.isUsedAgain?.(i);
      stops[i] = await startService(env, fd);
      await isUsedAgain;
    }
  }
  await load.more();
  await load.stop(`${title}, ${rounds * processes.length} restarts`);
  await Promise.all(stops.map((stop) => stop())); // before the proxy, so that none loses a check in the middle
  await proxy?.stop();
}

// Resolves when it listens, with what stops it. That rejects when a request was cut or an error was logged.
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
