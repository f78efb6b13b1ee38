// Three processes of the service behind a real load balancer, restarted in turn.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { folderOfProcess, makeCertificate } from '../../support/certificates.ts';
import { createPart } from './part.ts';
import { startHaproxy, startNginx } from './proxies.ts';

const PROXIES = {
  // It needs two failed checks, 500 ms apart, before it sends a process no more requests.
  HAProxy: { start: startHaproxy, delayMs: 2_000, rounds: 1 },
  // It makes no checks, so there is nothing to wait for, and one restart follows another at once.
  nginx: { start: startNginx, delayMs: 0, rounds: 5 },
};
const AT_LEAST = 20_000;
const SLOW_MS = 3_000; // longer than the delay, so that some requests are incomplete at every restart

// Linux gives ports from 32768 on to outgoing connections. One of them could take the port while its process
// restarts, so lower ports are used.
const LOWEST_PORT = 12_000, HIGHEST_PORT = 32_000;

/**
 * Restarts each process under load, prints the results, and resolves with whether there was no mistake. Half of the clients use TLS to the
 * proxy; with `tlsToMembers`, the proxy uses it to the processes. They accept only the host that the clients and the checks name.
 */
export async function restartBehind(name: keyof typeof PROXIES, tlsToMembers: boolean): Promise<boolean> {
  const { start: startProxy, delayMs, rounds } = PROXIES[name];
  const [port = 0, tlsPort = 0, ...members] = await freePorts(5);
  const folder = folderOfProcess();
  const { certFile, keyFile } = makeCertificate(folder, 'localhost');
  const address = { host: '127.0.0.1', port, servername: 'localhost', headers: { Host: 'localhost' } };
  const part = createPart([address, { ...address, port: tlsPort, ca: readFileSync(certFile) }],
    [[12, { keeps: true }], [3, { keeps: true, slowMs: SLOW_MS }]]);
  const portsOf = (member: number) =>
    (tlsToMembers ? { PORT: '0', HTTPS_PORT: String(member), TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile } : { PORT: String(member) });
  const start = (member: number) => part.start(`Process on port ${member}`, {
    ...portsOf(member), ALLOWED_HOSTS: 'localhost', SHUTDOWN_DELAY_MS: String(delayMs),
  });
  const services = await Promise.all(members.map(start));
  const proxy = await startProxy({ folder, port, tlsPort, members, certFile, keyFile, tlsToMembers });
  const title = `Three processes behind ${name}, with ${tlsToMembers ? 'TLS' : 'plain HTTP'} to them`;
  console.log(`${title}. 24 clients send without pause, 6 take ${SLOW_MS / 1000} s for a request; half of each use TLS.`);
  const load = part.startClients();
  await load.reach(1_000);

  for (let restart = 0; restart < rounds * members.length; restart++) {
    const i = restart % members.length;
    const stopped = services[i]?.stop();
    await proxy.hasFound?.(i, 'DOWN');
    await stopped;
    services[i] = await start(members[i] ?? 0);
    await proxy.hasFound?.(i, 'UP');
  }

  if (load.sent() < AT_LEAST) await load.reach(AT_LEAST);
  await load.stop();
  part.mistakes.push(...proxy.failures.slice(0, 10).map((line) => `${name} has logged: ${line}`));
  await proxy.stop();
  await Promise.all(services.map((service) => service.stop()));
  return part.report(`${title}, ${rounds * members.length} restarts`, load);
}

/** `count` ports of 127.0.0.1 on which no process listens. */
async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  const first = LOWEST_PORT + Math.floor(Math.random() * (HIGHEST_PORT - LOWEST_PORT - 1_000));
  for (let port = first; ports.length < count && port < HIGHEST_PORT; port += 1) {
    const server = createServer().listen({ port, host: '127.0.0.1' });
    const isFree = await once(server, 'listening').then(() => true, () => false);
    if (!isFree) continue;
    ports.push(port);
    server.close();
    await once(server, 'close');
  }
  if (ports.length < count) throw new Error('There are no free ports.');
  return ports;
}
