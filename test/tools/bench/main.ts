// npm run bench compares the service with the baseline. `-- --attack` measures instead how long clients wait while others attack,
// `-- --crowd` while others are at work. `-- --compare DIR` adds another build of the service.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { printAttacks } from './attack.ts';
import { printComparison } from './comparison.ts';
import { printCrowd } from './crowd.ts';
import { isPinned } from './processes.ts';

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
if (attack) await printAttacks(servers, only, Number(seconds ?? 10));
else if (crowd) await printCrowd(services, only, Number(seconds ?? 6));
else await printComparison(new Map([...servers, here('sockets')]));
