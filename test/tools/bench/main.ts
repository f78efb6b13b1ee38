// npm run bench compares the service with the floor. `-- --quick` does less of it, without a verdict.
// `-- --compare DIR` adds another build of the service to this, and to all but `--growth`.
// `-- --growth` measures instead whether a request costs more with more connections or in an older process.
// `-- --tls` measures instead what a request and a connection cost over TLS, beside the floor over TLS.
// `-- --attack` measures instead how long clients wait while others attack, `-- --crowd` while others are at work.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { printAttacks } from './attack.ts';
import { printComparison, printGrowth, printQuickComparison } from './comparison.ts';
import { printCrowd } from './crowd.ts';
import { isPinned } from './processes.ts';
import { requireOpenFiles } from './requirements.ts';
import { printTls } from './tls.ts';

const { values: { compare, only, clients, seconds, ...options } } = parseArgs({
  options: {
    compare: { type: 'string' }, quick: { type: 'boolean' }, growth: { type: 'boolean' }, tls: { type: 'boolean' },
    attack: { type: 'boolean' }, crowd: { type: 'boolean' }, elsewhere: { type: 'boolean' },
    only: { type: 'string', default: '' }, clients: { type: 'string', default: '100' }, seconds: { type: 'string' },
  },
});
const floor = resolve(import.meta.dirname, 'floor.js');
const service = resolve(import.meta.dirname, '../../../src/main.js');
// Servers that are measured, and attacked, in turn.
const services = new Map([['service', service]]);
if (compare !== undefined) services.set('other build', resolve(compare, 'dist/src/main.js'));
const servers = new Map([['floor', floor], ...services]);

const pinning = isPinned ? 'server and load on a CPU each' : 'not pinned to CPUs';
console.log(`Node ${process.version} on ${process.platform} ${process.arch}, ${pinning}\n`);
if (options.attack) {
  const elsewhere = options.elsewhere ? floor : undefined;
  await printAttacks(servers, { only, clients: Number(clients), seconds: Number(seconds ?? 10), elsewhere });
} else if (options.crowd) await printCrowd(services, only, Number(seconds ?? 6));
else if (options.growth) {
  requireOpenFiles(4_600); // a little over 4,550 connections, and the files of node itself
  await printGrowth(floor, service);
} else if (options.tls) await printTls(servers);
else if (options.quick) await printQuickComparison(servers);
else await printComparison(servers);
