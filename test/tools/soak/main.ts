// npm run test:soak [-- MILLIONS] [--tls] [--seed=N]: millions of requests, valid and hostile, against one process. Prints its memory
// after each third; exit code 1 when that grows, or a reply is wrong.
import { parseArgs } from 'node:util';
import { startLoad } from '../../support/load.ts';
import { residentMemory } from '../../support/usage.ts';
import { createClients } from './clients.ts';
import { startTarget } from './target.ts';

const SAMPLE_MS = 200;
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

const target = await startTarget(tls);
const clients = createClients(target.port, tls, seed);
console.log(`Node ${process.version}, ${requests} requests, seed ${seed}`);

// The first third of the test is the warm-up, and the last third is compared with the second: the highest resident memory under load,
// and the live heap at rest after it, in MiB. Resident memory is mostly garbage that has not been collected yet, so it varies: that limit
// is for a leak outside the heap. The live heap is exact: a leak of one byte in each of a million requests is detected.
const mistakes: string[] = [];
let before = { resident: Infinity, liveHeap: Infinity };
for (let third = 1; third <= 3 && mistakes.length === 0; third += 1) {
  const load = startLoad(clients);
  let resident = 0;
  const timer = setInterval(() => { resident = Math.max(resident, residentMemory(target.pid)); }, SAMPLE_MS);
  await load.reach(requests / 3);
  await load.stop();
  clearInterval(timer);
  await target.quiet();
  const liveHeap = await target.liveHeap();
  console.log(`Third ${third}: ${load.sent()} requests, RSS at most ${resident.toFixed(1)} MiB, live heap ${liveHeap.toFixed(2)}`);
  mistakes.push(...Array.from(load.faults.keys()).slice(0, 10));
  if (third === 3 && !(resident <= before.resident * 1.25 + 4)) mistakes.push('Resident memory grows.');
  if (third === 3 && !(liveHeap <= before.liveHeap + 1)) mistakes.push('The live heap grows.');
  before = { resident, liveHeap };
}
const code = await target.stop();
if (code !== 0) mistakes.push(`The service has ended with exit code ${String(code)}`);
mistakes.push(...target.errors);
for (const mistake of mistakes) console.log(mistake);
console.log(mistakes.length === 0 ? 'Passed' : 'Failed');
process.exit(mistakes.length === 0 ? 0 : 1);
