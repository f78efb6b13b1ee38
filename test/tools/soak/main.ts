// npm run test:soak [-- MILLIONS] [--access-log] [--tls] [--seed=N] [--node-options=OPTIONS]: millions of requests, valid
// and hostile, against one process. Prints its memory as it goes; exit code 1 when that grows, or a reply is wrong.
import { residentMemory } from '../../support/usage.ts';
import { request } from '../../support/exchange.ts';
import { startLoad } from '../../support/load.ts';
import { createClients } from './clients.ts';
import { readOptions } from './options.ts';
import { startTarget } from './target.ts';
import { growth, type Third } from './growth.ts';
import { watch } from './watch.ts';

const ROWS_PER_THIRD = 8;
const PATIENCE_MS = 1_800_000;

setTimeout(() => {
  console.error(`Not done within ${PATIENCE_MS / 60_000} minutes.`);
  process.exit(1);
}, PATIENCE_MS).unref();

if (process.platform !== 'linux') throw new Error('This reads /proc, which is there on Linux only.');
const options = readOptions();
const { requests, seed, accessLog, tls, nodeOptions } = options;
const target = await startTarget(options);
const clients = createClients(target.port, tls, seed);
console.log(`Node ${process.version} ${nodeOptions}, access log ${accessLog ? 'on' : 'off'}, ${requests} requests, seed ${seed}`);

const thirds: Third[] = [];
const mistakes: string[] = [];
let sent = 0;
while (thirds.length < 3 && mistakes.length === 0) {
  const load = startLoad(clients);
  const resident = await watch(target, load, requests / 3 / ROWS_PER_THIRD, load.reach(requests / 3).then(load.stop));
  await target.quiet();
  const liveHeap = await target.liveHeap();
  thirds.push({ resident, liveHeap });
  sent += load.sent();
  mistakes.push(...Array.from(load.faults.keys()).slice(0, 10));
  const atRest = `at rest ${residentMemory(target.pid).toFixed(1)}, live heap ${liveHeap.toFixed(2)}`;
  console.log(`Third ${thirds.length}: RSS at most ${resident.toFixed(1)} MiB, ${atRest}`);
}

if (mistakes.length === 0) mistakes.push(...growth(thirds));
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
