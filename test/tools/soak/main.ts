// npm run test:soak [-- MILLIONS] [--tls] [--seed=N]: millions of requests, valid and hostile, against one process. Prints its memory
// after each third; exit code 1 when that grows, or a reply is wrong.
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { tlsVariables } from '../../support/certificates.ts';
import { startLoad } from '../../support/load.ts';
import { portIn, startProcess, type LogLine } from '../../support/process.ts';
import { residentMemory } from '../../support/usage.ts';
import { createClients } from './clients.ts';

const SAMPLE_MS = 200;
const QUIET_MS = 10_000;
const PATIENCE_MS = 1_800_000;

setTimeout(() => {
  console.error(`Not done within ${PATIENCE_MS / 60_000} minutes.`);
  process.exit(1);
}, PATIENCE_MS).unref();

const { values: { tls, ...values }, positionals } = parseArgs({
  options: { tls: { type: 'boolean', default: false }, seed: { type: 'string', default: String(Date.now() % 2 ** 31) } },
  allowPositionals: true,
});
const [requests, seed] = [Number(positionals[0] ?? 2) * 1_000_000, Number(values.seed)];
if (!(requests > 0) || !Number.isInteger(seed)) throw new Error('MILLIONS must be a number above 0, N a whole number.');

// This is about the heap that V8 uses in a container with 256 MiB. With the memory of a whole machine, V8 collects garbage so late that
// hundreds of MiB of it look like a leak from outside.
const SMALL_HEAP = ['--max-old-space-size=128', '--max-semi-space-size=1'];
const { child: service, nextLine, ended } = startProcess(
  { PORT: '0', ACCESS_LOG: 'false', ...(tls && tlsVariables()) },
  [...SMALL_HEAP, '--import', new URL('live-heap.js', import.meta.url).href],
);
const port = portIn(await nextLine()); // with HTTPS, that is the first to listen
const { pid = 0 } = service;
const openFiles = () => readdirSync(`/proc/${pid}/fd`).length;
const filesAtRest = openFiles();
const clients = createClients(port, tls, seed);
const log: LogLine[] = [];
console.log(`Node ${process.version}, ${requests} requests, seed ${seed}`);

/** Resolves with the heap that is in use after a garbage collection, in MiB, when no connection is open. */
async function liveHeapAtRest(): Promise<number> {
  // A connection whose last reply is sent may stay open for a second. No event shows from outside when it closes.
  for (const since = performance.now(); openFiles() > filesAtRest; await delay(50)) {
    if (performance.now() - since > QUIET_MS) throw new Error('Connections stay open without clients.');
  }
  service.kill('SIGUSR2');
  let line = await nextLine();
  for (; line.message !== 'Live heap'; line = await nextLine()) log.push(line);
  return Number(line['bytes']) / 2 ** 20;
}

// The first third of the test is the warm-up, and the last third is compared with the second: the highest resident memory under load,
// and the live heap at rest after it, in MiB. Resident memory is mostly garbage that has not been collected yet, so it varies: that limit
// is for a leak outside the heap. The live heap is exact: a leak of one byte in each of a million requests is detected.
const mistakes: string[] = [];
let before = { resident: Infinity, liveHeap: Infinity };
for (let third = 1; third <= 3 && mistakes.length === 0; third += 1) {
  const load = startLoad(clients);
  let resident = 0;
  const timer = setInterval(() => { resident = Math.max(resident, residentMemory(pid)); }, SAMPLE_MS);
  await load.reach(requests / 3);
  await load.stop();
  clearInterval(timer);
  const liveHeap = await liveHeapAtRest();
  console.log(`Third ${third}: ${load.sent()} requests, RSS at most ${resident.toFixed(1)} MiB, live heap ${liveHeap.toFixed(2)}`);
  mistakes.push(...Array.from(load.faults.keys()).slice(0, 10));
  if (third === 3 && !(resident <= before.resident * 1.25 + 4)) mistakes.push('Resident memory grows.');
  if (third === 3 && !(liveHeap <= before.liveHeap + 1)) mistakes.push('The live heap grows.');
  before = { resident, liveHeap };
}
service.kill('SIGTERM');
const { code, lines } = await ended();
if (code !== 0) mistakes.push(`The service has ended with exit code ${String(code)}`);
for (const line of [...log, ...lines]) {
  if (line.level === 'error' || line.level === 'fatal') mistakes.push(`The service has logged ${JSON.stringify(line)}`);
}
for (const mistake of mistakes) console.log(mistake);
console.log(mistakes.length === 0 ? 'Passed' : 'Failed');
process.exit(mistakes.length === 0 ? 0 : 1);
