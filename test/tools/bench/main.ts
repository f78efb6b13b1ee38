// npm run bench compares the service with the baseline. `-- --attack` measures instead how long clients wait while others attack,
// `-- --crowd` while others are at work. `-- --compare DIR` adds another build of the service.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { tlsVariables } from '../../support/certificates.ts';
import { printWaits } from './beside.ts';
import { printComparison } from './comparison.ts';
import { ATTACKERS, CROWDS } from './crowds.ts';
import { printLoss, TRIALS } from './loss.ts';
import { isPinned } from './processes.ts';
import { printTooHigh } from './tables.ts';

const { values: { compare, attack, crowd, only, seconds } } = parseArgs({
  options: {
    compare: { type: 'string' }, attack: { type: 'boolean' }, crowd: { type: 'boolean' },
    only: { type: 'string', default: '' }, seconds: { type: 'string' },
  },
});
const services = new Map([['service', resolve(import.meta.dirname, '../../../src/main.js')]]); // measured, and attacked, in turn
if (compare !== undefined) services.set('other build', resolve(compare, 'dist/src/main.js'));
const here = (name: string): [string, string] => [name, resolve(import.meta.dirname, `${name}.js`)];
const servers = new Map([here('baseline'), ...services, here('node-service')]);

const pinning = isPinned ? 'server and load on a CPU each' : 'not pinned to CPUs';
console.log(`Node ${process.version} on ${process.platform} ${process.arch}, ${pinning}\n`);
if (attack) printTooHigh(await printWaits(servers, chosen(ATTACKERS), {}, Number(seconds ?? 10)));
else if (crowd) {
  const env = tlsVariables();
  const waits = await printWaits(services, chosen(CROWDS), env, Number(seconds ?? 6));
  printTooHigh([...waits, ...await printLoss(services, chosen(TRIALS), env)]);
} else await printComparison(new Map([...servers, here('sockets')]), Number(seconds ?? 110));

/** Those whose names start with what `--only` says. */
function chosen<T>(all: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map(Array.from(all).filter(([name]) => name.startsWith(only)));
}
