// Three processes of the service behind a real load balancer, restarted in turn.
import { freePorts } from './free-ports.ts';
import { startClients } from './clients.ts';
import { startProxy } from './haproxy.ts';
import type { Member } from './haproxy-configuration.ts';
import { mistakesIn, report } from './report.ts';
import { startService, type RunningService } from './service-process.ts';

const AT_LEAST = 20_000;
const DRAIN_MS = 2_000; // HAProxy needs two failed checks, 200 ms apart, before it sends no more requests
const SLOW_MS = 3_000; // longer than the drain, so that some requests are incomplete at every restart

/** Restarts each process under load, prints the results, and resolves with whether there was no mistake. */
export async function restartBehindProxy(): Promise<boolean> {
  const [proxyPort = 0, ...ports] = await freePorts(4);
  const members = ports.map((port, i): Member => ({ name: `member${i + 1}`, port }));
  const mistakes: string[] = [];

  function start({ name, port }: Member): Promise<RunningService> {
    return startService({ PORT: String(port), SHUTDOWN_DELAY_MS: String(DRAIN_MS) }, (line) => mistakes.push(...mistakesIn(line, name)));
  }

  const services = new Map<Member, RunningService>();
  for (const member of members) services.set(member, await start(member));
  const proxy = await startProxy({ port: proxyPort, members });
  const clients = startClients({ address: { host: '127.0.0.1', port: proxyPort }, keeping: 24, slow: 6, slowMs: SLOW_MS });
  const { tally } = clients;
  console.log(`Three processes behind HAProxy. 24 clients send without pause, 6 take ${SLOW_MS / 1000} s for a request.`);
  await clients.haveSent(1_000);

  for (const [member, service] of services) {
    const { sent, lost } = tally;
    const signalledAt = performance.now();
    const stopped = service.stop();
    await proxy.hasFound(member.name, 'DOWN');
    const down = `DOWN after ${seconds(signalledAt)}`;
    const code = await stopped;
    const exit = `exit ${String(code)} after ${seconds(signalledAt)}`;
    if (code !== 0) mistakes.push(`${member.name} has ended with exit code ${String(code)}`);
    services.set(member, await start(member));
    await proxy.hasFound(member.name, 'UP');
    const figures = `${tally.sent - sent} sent, ${tally.lost - lost} lost`;
    console.log(`${member.name}: ${down}, ${exit}, UP after ${seconds(signalledAt)}: ${figures}`);
  }

  if (tally.sent < AT_LEAST) await clients.haveSent(AT_LEAST);
  await clients.stop();
  const retries = await proxy.retries();
  if (retries > 0) mistakes.push(`HAProxy has sent ${retries} requests again`);
  if (proxy.failures.length > 0) mistakes.push(`HAProxy has logged ${proxy.failures.length} failures. The first are:`, ...proxy.failures.slice(0, 10));
  await proxy.stop();
  await Promise.all(Array.from(services.values(), (service) => service.stop()));
  return report('Behind HAProxy, 3 restarts', tally, mistakes);
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
