// Measures how long an honest client, at an address of its own and with new connections, waits while others attack.
import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { tlsVariables } from '../../support/certificates.ts';
import { get } from '../../support/exchange.ts';
import { residentMemory } from '../../support/usage.ts';
import type { Attack, Clients } from './attacks.ts';
import { ask, openSocket } from './clients.ts';
import { nodeProgram, scriptPath, SERVICE, start, startServer, type Program, type Programs } from './processes.ts';
import { figure, median, table } from './report.ts';
import { haproxyBefore } from './servers.ts';

const LIMIT_MS = 4_000; // a request that takes longer has failed
const TLS = tlsVariables();
const RSA = tlsVariables(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);

/** Measures servers beside each of these attacks, and prints the figures. The service has bounds. */
export async function printWaits(programs: Programs, attacks: readonly Attack[], seconds: number): Promise<void> {
  const rows = [['attack', 'server', 'median', 'worst', 'requests', 'failed', 'peak MiB']];
  for (const attack of attacks) {
    for (const [server, program] of Object.entries(programs)) {
      if (attack.isTls === true && program.isPlain === true) continue;
      const { waits, failed, peak } = await measureBeside(program, attack, seconds);
      const bounds: Partial<Attack> = server === 'service' ? attack : {};
      rows.push([
        attack.name, server, figure(median(waits), 1, bounds.medianMs), figure(Math.max(...waits), 0, bounds.worstMs),
        `${waits.length}`, figure(failed, 0, bounds.failed), figure(peak, 0, bounds.peakMiB),
      ]);
    }
  }
  console.log(`Waits of an honest client in ms [bound], ${seconds} s for each attack\n`);
  console.log(table(rows, 2));
}

async function measureBeside(program: Program, attack: Attack, seconds: number) {
  const { clients, isTls = false, isRsa, isCold, heapMiB, env, script, haproxy, asks = '/health' } = attack;
  const own = script === undefined || program !== SERVICE ? program : nodeProgram(scriptPath(script));
  const more = { MAX_CONNECTIONS: '3000', ...env, ...(isTls && (isRsa === true ? RSA : TLS)) };
  const server = await startServer(own, more, heapMiB === undefined ? [] : [`--max-heap-size=${heapMiB}`]);
  const proxy = haproxy === undefined ? server : await startServer(haproxyBefore(server.port, haproxy));
  const { port } = proxy;
  for (let i = isCold === true ? 100 : 0; i < 100; i += 1) await askOnce(port, isTls, '/health'); // warms it up
  const attackers = await Promise.all(clients.map((kind) =>
    start('clients', commandOf(kind, port, isTls), {}, /^(attacking)/)));
  const begin = performance.now();
  const asked: ReturnType<typeof askOnce>[] = [];
  for (; performance.now() - begin < seconds * 1000; await sleep(60 + 40 * Math.random())) {
    asked.push(askOnce(port, isTls, asks));
  }
  const replies = await Promise.all(asked);
  const peak = server.isRunning() ? residentMemory(server.pid).peak : NaN;
  for (const { stop } of [...attackers, proxy, server]) stop();
  return { waits: replies.map(({ ms }) => ms), failed: replies.filter(({ isGood }) => !isGood).length, peak };
}

// They get only the CPU time that is left, so the honest client, in this process, does not wait for them: idle
// priority counts within their session alone, and that has the least weight (sched(7), "The autogroup feature").
const LEAST = ['/bin/sh', '-c', 'echo 19 > /proc/self/autogroup; exec "$0" "$@"', 'chrt', '--idle', '0'];

function commandOf([count, work, addresses = 1]: Clients, port: number, isTls: boolean): string[] {
  return [...LEAST, process.execPath, scriptPath('attackers'), port, count, work, addresses, isTls].map(String);
}

async function askOnce(port: number, isTls: boolean, target: string) {
  const begin = performance.now();
  const socket = openSocket({ port, isTls, from: '127.0.0.2' });
  const limit = setTimeout(() => socket.destroy(), LIMIT_MS);
  const reply = await ask(socket, get(target));
  clearTimeout(limit);
  socket.destroy();
  return { ms: performance.now() - begin, isGood: reply?.startsWith('HTTP/1.1 200') === true };
}
