// npm run bench compares the service with the floor. `-- --quick` does less of it, without a verdict.
// `-- --compare DIR` adds another build of the service to these and to the attacks; `-- --stream` adds the floor behind its stream.
// `-- --growth` measures instead whether a request costs more with more connections or in an older process.
// `-- --attack` measures instead how clients are served while the server is under attack; `-- --crowd` is its last part.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { printAttack } from './attack.ts';
import { printComparison, printQuickComparison } from './comparison.ts';
import { printCrowd } from './crowd.ts';
import { printGrowth } from './growth.ts';
import { requireOpenFiles } from './open-files.ts';
import { isPinned } from './processes.ts';

const { values: options } = parseArgs({
  options: { compare: { type: 'string' }, stream: { type: 'boolean' }, quick: { type: 'boolean' }, growth: { type: 'boolean' }, attack: { type: 'boolean' }, crowd: { type: 'boolean' } },
});
const floor = resolve(import.meta.dirname, 'floor.js');
const service = resolve(import.meta.dirname, '../../src/main.js');
// Servers that are measured, and attacked, in turn.
const servers = new Map([['floor', floor], ['service', service]]);
if (options.stream) servers.set('floor, stream', resolve(import.meta.dirname, 'floor-stream.js'));
if (options.compare !== undefined) servers.set('other build', resolve(options.compare, 'dist/src/main.js'));

const pinning = isPinned ? 'server and load on a CPU each' : 'not pinned to CPUs';
console.log(`Node ${process.version} on ${process.platform} ${process.arch}, ${pinning}`);
if (options.attack || options.growth) requireOpenFiles(2_200); // a little over 2,000 connections, and the files of node itself
if (options.attack) await printAttack(servers);
if (options.attack || options.crowd) await printCrowd(servers);
else if (options.growth) await printGrowth(floor, service);
else if (options.quick) await printQuickComparison(servers);
else await printComparison(servers);
