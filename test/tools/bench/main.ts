// npm run bench compares the service with the floor. `-- --quick` does less of it, without a verdict.
// `-- --compare DIR` adds another build of the service to these and to the attacks.
// `-- --growth` measures instead whether a request costs more with more connections or in an older process.
// `-- --tls` measures instead what a request and a connection cost over TLS, beside the floor over TLS.
// `-- --attack` measures instead how long clients wait while others attack; `-- --crowd` is one of the attacks, with fewer and with more.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ATTACKS, PIPELINED } from './attacks.ts';
import { printComparison, printQuickComparison } from './comparison.ts';
import { printGrowth } from './growth.ts';
import { requireOpenFiles } from './open-files.ts';
import { waitsPicture } from './pictures.ts';
import { isPinned } from './processes.ts';
import { waitsTable } from './tables.ts';
import { printTls } from './tls.ts';
import { measureWaits } from './waits.ts';

const { values: options } = parseArgs({
  options: {
    compare: { type: 'string' }, quick: { type: 'boolean' }, growth: { type: 'boolean' }, tls: { type: 'boolean' },
    attack: { type: 'boolean' }, crowd: { type: 'boolean' }, elsewhere: { type: 'boolean' },
    only: { type: 'string', default: '' }, clients: { type: 'string', default: '100' }, seconds: { type: 'string', default: '10' },
  },
});
const floor = resolve(import.meta.dirname, 'floor.js');
const service = resolve(import.meta.dirname, '../../../src/main.js');
// Servers that are measured, and attacked, in turn.
const servers = new Map([['floor', floor], ['service', service]]);
if (options.compare !== undefined) servers.set('other build', resolve(options.compare, 'dist/src/main.js'));

const pinning = isPinned ? 'server and load on a CPU each' : 'not pinned to CPUs';
console.log(`Node ${process.version} on ${process.platform} ${process.arch}, ${pinning}\n`);
if (options.attack || options.crowd) await attack();
else if (options.growth) await grow();
else if (options.tls) await printTls(new Map([...servers, ['floor', resolve(import.meta.dirname, 'floor-tls.js')]]));
else if (options.quick) await printQuickComparison(servers);
else await printComparison(servers);

async function attack(): Promise<void> {
  const names = [...ATTACKS.keys()].filter((name) => name.startsWith(options.only));
  if (names.length === 0) {
    console.error(`The attacks are: ${[...ATTACKS.keys()].join(', ')}`);
    process.exit(1);
  }
  const attacks = options.crowd
    ? [50, 500].map((clients) => ({ attack: PIPELINED, clients }))
    : names.map((name) => ({ attack: name, clients: Number(options.clients) }));
  requireOpenFiles(Math.max(...attacks.map(({ clients }) => clients)) + 1_000); // and those of honest clients, and of node itself
  console.log(`${options.seconds} s for each attack and server; heap of 256 MiB\n`);
  const outcomes = await measureWaits(servers, attacks, Number(options.seconds), options.elsewhere ? floor : undefined);
  console.log(waitsTable(outcomes));
  if (!options.crowd) console.log(waitsPicture(outcomes));
}

async function grow(): Promise<void> {
  requireOpenFiles(4_600); // a little over 4,550 connections, and the files of node itself
  await printGrowth(floor, service);
}
