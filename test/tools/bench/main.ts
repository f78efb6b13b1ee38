// npm run bench compares the service with the floor. `-- --quick` does less of it, without a verdict.
// `-- --compare DIR` adds another build of the service to this, and to all but `--growth`.
// `-- --growth` measures instead whether a request costs more with more connections or in an older process.
// `-- --tls` measures instead what a request and a connection cost over TLS, beside the floor over TLS.
// `-- --attack` measures instead how long clients wait while others attack, `-- --crowd` while others are at work.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { printAttacks } from './attack.ts';
import { printComparison, printQuickComparison } from './comparison.ts';
import { printCrowd } from './crowd.ts';
import { printGrowth } from './growth.ts';
import { requireOpenFiles } from './open-files.ts';
import { isPinned } from './processes.ts';
import { printTls } from './tls.ts';

const { values: options } = parseArgs({
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
if (options.compare !== undefined) services.set('other build', resolve(options.compare, 'dist/src/main.js'));
const servers = new Map([['floor', floor], ...services]);

const pinning = isPinned ? 'server and load on a CPU each' : 'not pinned to CPUs';
console.log(`Node ${process.version} on ${process.platform} ${process.arch}, ${pinning}\n`);
if (options.attack) await attack();
else if (options.crowd) await printCrowd(services, options.only, Number(options.seconds ?? 6));
else if (options.growth) await grow();
else if (options.tls) await printTls(new Map([['floor', resolve(import.meta.dirname, 'floor-tls.js')], ...services]));
else if (options.quick) await printQuickComparison(servers);
else await printComparison(servers);

async function attack(): Promise<void> {
  const { only, clients, seconds = '10', elsewhere } = options;
  await printAttacks(servers, { only, clients: Number(clients), seconds: Number(seconds), elsewhere: elsewhere ? floor : undefined });
}

async function grow(): Promise<void> {
  requireOpenFiles(4_600); // a little over 4,550 connections, and the files of node itself
  await printGrowth(floor, service);
}
