// npm run bench: the service beside the floor. `-- --compare DIR` adds another build of the service;
// `-- --growth` measures instead whether a request gets dearer with connections or with time.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { printGrowth } from './growth.ts';
import { isPinned } from './processes.ts';
import { race, runner } from './race.ts';
import { figureTable, requestTable } from './report.ts';
import { startTimes } from './start-time.ts';

const ROUNDS = 12;
const STARTS = 30;
const PATHS = ['/health', '/api/greetings', '/api/greetings?name=Ada%20Lovelace', '/api/greetings?name=', '/nope'];

const { values: options } = parseArgs({ options: { compare: { type: 'string' }, growth: { type: 'boolean' } } });
const floor = resolve(import.meta.dirname, 'floor.js');
const service = resolve(import.meta.dirname, '../../src/main.js');

const pinning = isPinned ? 'server and load on a CPU each' : 'not pinned to CPUs';
console.log(`Node ${process.version} on ${process.platform} ${process.arch}, ${pinning}`);
if (options.growth) {
  await printGrowth(floor, service);
} else {
  const scripts = new Map([['floor', floor], ['service', service]]);
  if (options.compare !== undefined) scripts.set('compared', resolve(options.compare, 'dist/src/main.js'));
  await printComparison(scripts);
}

async function printComparison(scripts: ReadonlyMap<string, string>): Promise<void> {
  const results = await race(Array.from(scripts, ([name, script]) => runner(name, script)), PATHS, ROUNDS);
  console.log(`${results[0]?.memory.length} rounds, ${STARTS} starts\n`);
  console.log(requestTable(results));
  console.log(figureTable('memory after load, MiB', new Map(results.map(({ name, memory }) => [name, memory]))));
  console.log(figureTable('start to first reply, ms', await startTimes(scripts, STARTS)));
}
