// Three processes of the service behind a real load balancer, restarted in turn.
import { readFileSync } from 'node:fs';
import { startLoad } from './load.ts';
import { CERTIFICATE, KEY, MEMBERS, PORT, startHaproxy, startNginx, TLS_PORT } from './proxies.ts';
import { startService } from './service.ts';

const PROXIES = {
  // It needs two failed checks, 500 ms apart, before it sends a process no more requests.
  HAProxy: { start: startHaproxy, delayMs: 2_000, rounds: 1 },
  // It makes no checks, so there is nothing to wait for, and one restart follows another at once.
  nginx: { start: startNginx, delayMs: 0, rounds: 5 },
};
const SLOW_MS = 3_000; // longer than the delay, so that some requests are incomplete at every restart

/**
 * Restarts each process under load, and prints the results. Half of the clients use TLS to the proxy; with `tlsToMembers`, the proxy uses
 * it to the processes. They accept only the host that the clients and the checks name.
 */
export async function restartBehind(name: keyof typeof PROXIES, tlsToMembers: boolean): Promise<void> {
  const { start: startProxy, delayMs, rounds } = PROXIES[name];
  const portsOf = (member: number) =>
    (tlsToMembers ? { PORT: '0', HTTPS_PORT: String(member), TLS_CERT_FILE: CERTIFICATE, TLS_KEY_FILE: KEY } : { PORT: String(member) });
  const start = (member: number) =>
    startService({ ...portsOf(member), ALLOWED_HOSTS: 'localhost', SHUTDOWN_DELAY_MS: String(delayMs) });
  const services = await Promise.all(MEMBERS.map(start));
  const proxy = await startProxy(tlsToMembers);
  const address = { host: '127.0.0.1', port: PORT, servername: 'localhost', headers: { Host: 'localhost' } };
  const load = startLoad([address, { ...address, port: TLS_PORT, ca: readFileSync(CERTIFICATE) }],
    [[12, { keeps: true }], [3, { keeps: true, slowMs: SLOW_MS }]]);
  await load.more(1_000);

  for (let round = 0; round < rounds; round += 1) {
    for (const [i, member] of MEMBERS.entries()) {
      await services[i]?.stop();
      const isUsedAgain = proxy.isUsedAgain(i);
      services[i] = await start(member);
      await isUsedAgain;
    }
  }

  await load.more(1_000);
  await load.stop(`Behind ${name}, with ${tlsToMembers ? 'TLS' : 'plain HTTP'} to the processes, ${rounds * MEMBERS.length} restarts`);
  await Promise.all(services.map((service) => service.stop())); // first, so that none loses a health check in the middle
  await proxy.stop();
}
