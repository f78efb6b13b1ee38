// npm run test:soak [-- MILLIONS] [--access-log] [--seed=N]: millions of requests, valid and hostile, against
// one process. Prints its memory as it goes; exit code 1 when that is not flat, or a reply was wrong.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startService } from '../fleet/service-process.ts';
import type { LogLine } from '../support/process.ts';
import { request } from '../support/wire.ts';
import { startLoad } from './load.ts';
import { openFiles } from './proc.ts';
import { printTable } from './table.ts';
import { judge } from './verdict.ts';

const AT_ONCE = 64;
const ROWS = 24;
const CLEAN_UP_MS = 5_000; // for the service to close what its clients have left behind
const PATIENCE_MS = 1_800_000;

setTimeout(() => {
  console.error(`Not done within ${PATIENCE_MS / 60_000} minutes.`);
  process.exit(1);
}, PATIENCE_MS).unref();

if (process.platform !== 'linux') throw new Error('This reads /proc, which is there on Linux only.');
const { values, positionals } = parseArgs({
  options: { 'access-log': { type: 'boolean', default: false }, seed: { type: 'string', default: String(Date.now() % 2 ** 31) } },
  allowPositionals: true,
});
const total = Number(positionals[0] ?? 2) * 1_000_000;
const seed = Number(values.seed);
if (!(total > 0) || !Number.isInteger(seed)) throw new Error('MILLIONS must be a number above 0, N a whole number.');

const mistakes: string[] = [];
const logged = new Map<string, number>();

function count({ level, message }: LogLine): void {
  const kind = `${level}: ${message.replace(/\d+/g, 'n')}`;
  logged.set(kind, (logged.get(kind) ?? 0) + 1);
  if (level === 'error' || level === 'fatal') mistakes.push(`The service has logged ${level}: ${message}`);
}

const service = await startService({ PORT: '0', ACCESS_LOG: String(values['access-log']) }, count);
const { pid, port } = service;
const filesBefore = openFiles(pid);
console.log(`Node ${process.version}, access log ${values['access-log'] ? 'on' : 'off'}, ${total} requests, seed ${seed}`);

const load = startLoad({ port, seed, requests: total, atOnce: AT_ONCE });
const { isFlat, text } = judge(await printTable({ pid, load, total, rows: ROWS }));
console.log(`${load.requests} requests on ${load.connections} connections`);
console.log(text);
if (!isFlat) mistakes.push('Memory is not flat');
if (load.faults.length > 0) mistakes.push(`${load.faults.length} connections went wrong, the first of them:`, ...load.faults.slice(0, 10));

const { status, body } = await request(port, 'GET', '/health');
if (status !== 200 || body !== 'Healthy') mistakes.push(`An ordinary request was answered ${status} ${body}`);
const cleanUpEnd = performance.now() + CLEAN_UP_MS;
while (openFiles(pid) > filesBefore && performance.now() < cleanUpEnd) await delay(50); // no event tells
if (openFiles(pid) > filesBefore) mistakes.push(`${openFiles(pid) - filesBefore} connections are open without a client`);
const code = await service.stop();
if (code !== 0) mistakes.push(`The service has ended with exit code ${String(code)}`);

for (const [kind, lines] of logged) console.log(`Logged ${lines} times ${kind}`);
for (const mistake of mistakes) console.log(mistake);
console.log(mistakes.length === 0 ? 'Passed' : 'Failed');
process.exit(mistakes.length === 0 ? 0 : 1);
