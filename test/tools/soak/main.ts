// npm run test:soak [-- MILLIONS] [--access-log] [--tls] [--seed=N] [--node-options=OPTIONS]: millions of requests, valid
// and hostile, against one process. Prints its memory as it goes; exit code 1 when that grows, or a reply is wrong.
import { parseArgs } from 'node:util';
import { request } from '../../support/exchange.ts';
import { startLoad, type Load } from '../../support/load.ts';
import { residentMemory } from '../../support/usage.ts';
import { createClients } from './clients.ts';
import { startTarget } from './target.ts';

// This is about the heap that V8 uses in a container with 256 MiB. With the memory of a whole machine, V8 collects
// garbage so late that hundreds of MiB of it look like a leak from outside.
const SMALL_HEAP = '--max-old-space-size=128 --max-semi-space-size=1';
const ROWS_PER_THIRD = 8;
const SAMPLE_MS = 200;
const PATIENCE_MS = 1_800_000;

setTimeout(() => {
  console.error(`Not done within ${PATIENCE_MS / 60_000} minutes.`);
  process.exit(1);
}, PATIENCE_MS).unref();

if (process.platform !== 'linux') throw new Error('This reads /proc, which is there on Linux only.');
const { values: { 'access-log': accessLog, tls, 'node-options': nodeOptions, ...values }, positionals } = parseArgs({
  options: {
    'access-log': { type: 'boolean', default: false },
    tls: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    'node-options': { type: 'string', default: SMALL_HEAP },
  },
  allowPositionals: true,
});
const [requests, seed] = [Number(positionals[0] ?? 2) * 1_000_000, Number(values.seed)];
if (!(requests > 0) || !Number.isInteger(seed)) throw new Error('MILLIONS must be a number above 0, N a whole number.');

const target = await startTarget({ accessLog, tls, nodeOptions });
const clients = createClients(target.port, tls, seed);
console.log(`Node ${process.version} ${nodeOptions}, access log ${accessLog ? 'on' : 'off'}, ${requests} requests, seed ${seed}`);

// The first third of the test is the warm-up, and the last third is compared with the second: the highest memory under load, and the live
// heap at rest after it, in MiB. Resident memory is mostly garbage that has not been collected yet, so it varies: that limit is for a leak
// outside the heap. The live heap is exact: a leak of one byte in each of a million requests is detected.
const LIMITS = [
  { what: 'Resident memory', limit: (before: number) => before * 1.25 + 4 },
  { what: 'The live heap', limit: (before: number) => before + 1 },
];
const thirds: (readonly [resident: number, liveHeap: number])[] = [];
const mistakes: string[] = [];
let sent = 0;
while (thirds.length < 3 && mistakes.length === 0) {
  const load = startLoad(clients);
  const resident = await watch(load, load.reach(requests / 3).then(load.stop));
  await target.quiet();
  const liveHeap = await target.liveHeap();
  thirds.push([resident, liveHeap]);
  sent += load.sent();
  mistakes.push(...Array.from(load.faults.keys()).slice(0, 10));
  const atRest = `at rest ${residentMemory(target.pid).toFixed(1)}, live heap ${liveHeap.toFixed(2)}`;
  console.log(`Third ${thirds.length}: RSS at most ${resident.toFixed(1)} MiB, ${atRest}`);
}

const [, second, last] = thirds;
if (mistakes.length === 0) {
  for (const [i, { what, limit }] of LIMITS.entries()) {
    const [most, now] = [limit(second?.[i] ?? Number.NaN), last?.[i] ?? Number.NaN];
    if (!(now <= most)) mistakes.push(`${what} is not flat: ${now.toFixed(1)} MiB, more than ${most.toFixed(1)}`);
  }
}
if (!tls) {
  const { status, body } = await request(target.port, 'GET', '/health');
  if (status !== 200 || body !== 'Healthy') mistakes.push(`An ordinary request was answered ${status} ${body}`);
}
const code = await target.stop();
if (code !== 0) mistakes.push(`The service has ended with exit code ${String(code)}`);

console.log(`${sent} requests`);
for (const [kind, lines] of target.logged) {
  console.log(`Logged ${lines} times ${kind}`);
  if (/^(?:error|fatal)/.test(kind)) mistakes.push(`The service has logged ${kind}`);
}
for (const mistake of mistakes) console.log(mistake);
console.log(mistakes.length === 0 ? 'Passed' : 'Failed');
process.exit(mistakes.length === 0 ? 0 : 1);

/** Prints a row now and then until `sending` resolves, with the highest memory since the row before. Resolves with the highest of all. */
async function watch(load: Load, sending: Promise<void>): Promise<number> {
  let latest = { at: performance.now(), requests: 0 };
  let highest = 0, highestOfAll = 0;
  printRow('requests', 'per second', 'RSS MiB', 'connections');
  const timer = setInterval(() => {
    highest = Math.max(highest, residentMemory(target.pid));
    highestOfAll = Math.max(highest, highestOfAll);
    const [at, count] = [performance.now(), load.sent()];
    if (count < latest.requests + requests / 3 / ROWS_PER_THIRD) return;
    const perSecond = (count - latest.requests) / ((at - latest.at) / 1000);
    printRow(count, Math.round(perSecond), highest.toFixed(1), target.openConnections());
    latest = { at, requests: count };
    highest = 0;
  }, SAMPLE_MS);
  await sending;
  clearInterval(timer);
  return highestOfAll;
}

function printRow(...columns: readonly (string | number)[]): void {
  console.log(columns.map((column) => String(column).padStart(11)).join(' '));
}
