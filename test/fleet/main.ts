// npm run test:fleet: a rolling restart behind a real load balancer. Three processes of the service are
// restarted in turn while clients send without pause; exit code 1 when a single request is lost.
import { freePorts } from './free-ports.ts';
import { startClients } from './clients.ts';
import { startProxy } from './haproxy.ts';
import type { Member } from './haproxy-configuration.ts';
import { startService, type RunningService } from './service-process.ts';

const AT_LEAST = 20_000;
const DRAIN_MS = 2_000; // HAProxy needs two failed checks, 200 ms apart, to leave
const SLOW_MS = 3_000; // longer than the drain: every restart finds requests that are half received
const PATIENCE_MS = 120_000;

const patience = setTimeout(() => {
  console.error(`Not done within ${PATIENCE_MS / 1000} s.`);
  process.exit(1);
}, PATIENCE_MS);

const [proxyPort = 0, ...ports] = await freePorts(4);
const members = ports.map((port, i): Member => ({ name: `member${i + 1}`, port }));
const mistakes: string[] = [];

function start({ name, port }: Member): Promise<RunningService> {
  return startService({ PORT: String(port), SHUTDOWN_DELAY_MS: String(DRAIN_MS) }, (line) => {
    const { level, message, connectionsCut = 0 } = line;
    if (level !== 'info' || connectionsCut !== 0) mistakes.push(`${name}: ${message} (${String(connectionsCut)} connections cut)`);
  });
}

const services = new Map<Member, RunningService>();
for (const member of members) services.set(member, await start(member));
const proxy = await startProxy({ port: proxyPort, members });
const clients = startClients({ port: proxyPort, quick: 24, slow: 6, slowMs: SLOW_MS });
const { tally } = clients;
console.log(`Node ${process.version}, three processes behind HAProxy. 24 clients send without pause, 6 take ${SLOW_MS / 1000} s for a request.`);
await clients.haveSent(1_000);

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

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
if (retries > 0) mistakes.push(`HAProxy has tried ${retries} requests again`);
clearTimeout(patience);

console.log(`All in all: ${tally.sent} sent, ${tally.lost} lost`);
for (const [reason, count] of tally.reasons) console.log(`  ${count} times ${reason}`);
for (const mistake of mistakes) console.log(`  ${mistake}`);
if (proxy.failures.length > 0) console.log(`HAProxy says of ${proxy.failures.length} requests that they failed, first of:`);
for (const line of proxy.failures.slice(0, 10)) console.log(`  ${line}`);
process.exit(tally.lost > 0 || mistakes.length > 0 ? 1 : 0);
