// Measures how long an honest client, at an address of its own and with new connections, waits while others attack.
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { temporaryFolder, tlsVariables } from '../../support/certificates.ts';
import { requestBytes } from '../../support/exchange.ts';
import { cpuTime, residentMemory } from '../../support/usage.ts';
import type { Attack, Clients } from './attacks.ts';
import { ask, openSocket } from './clients.ts';
import { scriptPath, start, startServer, type Program, type Programs } from './processes.ts';
import { figure, median, table } from './report.ts';

const LIMIT_MS = 4_000; // a request that takes longer has failed
const REQUEST = requestBytes('GET', '/health', []);
const RECORDS = `${temporaryFolder()}/records`; // records.c, compiled
const TLS = tlsVariables();

/** Measures servers beside each of these attacks, and prints the figures. The one called `service` has bounds. */
export async function printWaits(programs: Programs, attacks: readonly Attack[], seconds: number): Promise<void> {
  const source = fileURLToPath(new URL('test/tools/bench/records.c', import.meta.resolve('#package'))); // not in dist
  const { status } = spawnSync('cc', ['-O2', '-o', RECORDS, source, '-lssl', '-lcrypto'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('This needs cc and the headers of OpenSSL (libssl-dev).');
  const rows = [['attack', 'server', 'median', 'worst', 'requests', 'failed', 'CPU', 'peak MiB']];
  for (const attack of attacks) {
    for (const [name, program] of Object.entries(programs)) {
      const { waits, failed, cpu, peak } = await measureBeside(program, attack, seconds);
      const bounds: Partial<Attack> = name === 'service' ? attack : {};
      rows.push([
        attack.name, name, figure(median(waits), 1, bounds.medianMs), figure(Math.max(...waits), 0, bounds.worstMs),
        `${waits.length}`, figure(failed, 0, bounds.failed), figure(cpu, 2), figure(peak, 0, bounds.peakMiB),
      ]);
    }
  }
  console.log(`Waits of an honest client in ms [bound], ${seconds} s for each attack; CPU: how busy the server is\n`);
  console.log(table(rows, 2));
}

async function measureBeside({ script, env }: Program, { clients, isTls, heapMiB }: Attack, seconds: number) {
  const roomy = { script, env: { ...env, MAX_CONNECTIONS: '3000' } };
  const server = await startServer(roomy, isTls ? TLS : {}, [`--max-heap-size=${heapMiB}`]);
  for (let i = 0; i < 100; i += 1) await askOnce(server.port, isTls); // warms it up
  const attackers = await Promise.all(clients.map((kind) =>
    start('clients', commandOf(kind, server.port, isTls), {}, /^(attacking)/)));
  const begin = performance.now();
  const usedBefore = server.isRunning() ? cpuTime(server.pid) : NaN; // in µs
  const asked: ReturnType<typeof askOnce>[] = [];
  for (; performance.now() - begin < seconds * 1000; await sleep(60 + 40 * Math.random())) {
    asked.push(askOnce(server.port, isTls));
  }
  const replies = await Promise.all(asked);
  const [used, peak] = server.isRunning() ? [cpuTime(server.pid), residentMemory(server.pid).peak] : [NaN, NaN];
  const cpu = (used - usedBefore) / 1000 / (performance.now() - begin);
  for (const { stop } of [...attackers, server]) stop();
  return { waits: replies.map(({ ms }) => ms), failed: replies.filter(({ isGood }) => !isGood).length, cpu, peak };
}

// They get only the CPU time that is left, so the honest client, in this process, does not wait for them.
function commandOf([count, work, addresses = 1]: Clients, port: number, isTls: boolean): string[] {
  const attackers = [process.execPath, scriptPath('attackers'), port, count, work, addresses, isTls];
  return ['chrt', '--idle', '0', ...(work === 'records' ? [RECORDS, port, count] : attackers)].map(String);
}

// How long a request took, and whether it was answered with 200.
async function askOnce(port: number, isTls: boolean) {
  const begin = performance.now();
  const socket = openSocket({ port, isTls, from: '127.0.0.2' });
  const limit = setTimeout(() => socket.destroy(), LIMIT_MS);
  const reply = await ask(socket, REQUEST);
  clearTimeout(limit);
  socket.destroy();
  return { ms: performance.now() - begin, isGood: reply?.startsWith('HTTP/1.1 200') === true };
}
