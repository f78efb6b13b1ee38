// Three processes of the service behind a real load balancer, restarted in turn.
import { readFileSync } from 'node:fs';
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

// Linux gives ports from 32768 on to outgoing connections. One of them could take the port while its process restarts.
const PORT = 12_080, TLS_PORT = 12_443, MEMBERS = [12_081, 12_082, 12_083];

/**
 * Restarts each process under load, prints the results, and resolves with whether there was no mistake. Half of the clients use TLS to the
 * proxy; with `tlsToMembers`, the proxy uses it to the processes. They accept only the host that the clients and the checks name.
 */
export async function restartBehind(name: keyof typeof PROXIES, tlsToMembers: boolean): Promise<boolean> {
  const { start: startProxy, delayMs, rounds } = PROXIES[name];
  const folder = folderOfProcess();
  const { certFile, keyFile } = makeCertificate(folder, 'localhost');
  const address = { host: '127.0.0.1', port: PORT, servername: 'localhost', headers: { Host: 'localhost' } };
  const part = createPart([address, { ...address, port: TLS_PORT, ca: readFileSync(certFile) }],
    [[12, { keeps: true }], [3, { keeps: true, slowMs: SLOW_MS }]]);
  const portsOf = (member: number) =>
    (tlsToMembers ? { PORT: '0', HTTPS_PORT: String(member), TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile } : { PORT: String(member) });
  const start = (member: number) => part.start(`Process on port ${member}`, {
    ...portsOf(member), ALLOWED_HOSTS: 'localhost', SHUTDOWN_DELAY_MS: String(delayMs),
  });
  const services = await Promise.all(MEMBERS.map(start));
  const proxy = await startProxy({ folder, port: PORT, tlsPort: TLS_PORT, members: MEMBERS, certFile, keyFile, tlsToMembers });
  const title = `Three processes behind ${name}, with ${tlsToMembers ? 'TLS' : 'plain HTTP'} to them`;
  console.log(`${title}. 24 clients send without pause, 6 take ${SLOW_MS / 1000} s for a request; half of each use TLS.`);
  const load = part.startClients();
  await load.reach(1_000);

  for (let round = 0; round < rounds; round += 1) {
    for (const [i, member] of MEMBERS.entries()) {
      await services[i]?.stop();
      services[i] = await start(member);
      await proxy.isUsedAgain(i);
    }
  }

  await load.reach(AT_LEAST);
  await load.stop();
  await proxy.stop();
  await Promise.all(services.map((service) => service.stop()));
  return part.report(`${title}, ${rounds * MEMBERS.length} restarts`, load);
}
