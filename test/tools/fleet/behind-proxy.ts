// Three processes of the service behind a real load balancer, restarted in turn.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { startProxy } from './haproxy.ts';
import { createPart, lost } from './part.ts';

const AT_LEAST = 20_000;
const DRAIN_MS = 2_000; // HAProxy needs two failed checks, 200 ms apart, before it sends no more requests
const SLOW_MS = 3_000; // longer than the drain, so that some requests are incomplete at every restart

// Linux gives ports from 32768 on to outgoing connections. One of them could take the port while its process
// restarts, so lower ports are used.
const LOWEST_PORT = 12_000, HIGHEST_PORT = 32_000;

/** Restarts each process under load, prints the results, and resolves with whether there was no mistake. */
export async function restartBehindProxy(): Promise<boolean> {
  const [proxyPort = 0, ...ports] = await freePorts(4);
  const names = ports.map((_, i) => `member${i + 1}`);
  const part = createPart({ host: '127.0.0.1', port: proxyPort }, [[24, { keeps: true }], [6, { keeps: true, slowMs: SLOW_MS }]]);
  const start = (i: number) => part.start(names[i] ?? '', { PORT: String(ports[i]), SHUTDOWN_DELAY_MS: String(DRAIN_MS) });
  const services = await Promise.all(ports.map((_, i) => start(i)));
  const proxy = await startProxy(proxyPort, ports.map((port, i) => ({ name: names[i] ?? '', port })));
  console.log(`Three processes behind HAProxy. 24 clients send without pause, 6 take ${SLOW_MS / 1000} s for a request.`);
  const load = part.startClients();
  await load.reach(1_000);

  for (const [i, name] of names.entries()) {
    const [sentBefore, lostBefore] = [load.sent(), lost(load.faults)];
    const signalledAt = performance.now();
    const after = () => `after ${((performance.now() - signalledAt) / 1000).toFixed(1)} s`;
    const stopped = services[i]?.stop();
    await proxy.hasFound(name, 'DOWN');
    const down = `DOWN ${after()}`;
    await stopped;
    const ended = `ended ${after()}`;
    services[i] = await start(i);
    await proxy.hasFound(name, 'UP');
    console.log(`${name}: ${down}, ${ended}, UP ${after()}: ${load.sent() - sentBefore} sent, ${lost(load.faults) - lostBefore} lost`);
  }

  if (load.sent() < AT_LEAST) await load.reach(AT_LEAST);
  await load.stop();
  part.mistakes.push(...proxy.failures.slice(0, 10).map((line) => `HAProxy has logged: ${line}`));
  await proxy.stop();
  await Promise.all(services.map((service) => service.stop()));
  return part.report('Behind HAProxy, 3 restarts', load);
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
