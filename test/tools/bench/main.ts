// npm run bench compares the CPU time of servers. `-- --attack` measures how long an honest client waits while others
// attack, `-- --stop` how many requests are lost at a stop.
import { parseArgs } from 'node:util';
import { ATTACKS } from './attacks.ts';
import { printComparison } from './cpu.ts';
import { BASELINE, SERVICE } from './processes.ts';
import { printLost } from './stop.ts';
import { printWaits } from './waits.ts';

const { attack, baseline, compare, only, seconds, stop } = parseArgs({
  options: {
    seconds: { type: 'string' }, // of each attack, or after which no new round of the comparison begins
    compare: { type: 'string', multiple: true, default: [] }, // NAME=SCRIPT: another server, which prints its address
    attack: { type: 'boolean', default: false },
    only: { type: 'string', default: '' }, // the attacks whose names start with this
    baseline: { type: 'boolean', default: false }, // attack the baseline, too
    stop: { type: 'boolean', default: false },
  },
}).values;

console.log(`Node ${process.version}\n`);
if (stop) await printLost();
else if (attack) {
  const attacks = ATTACKS.filter(({ name }) => name.startsWith(only));
  await printWaits({ ...(baseline && { baseline: BASELINE }), service: SERVICE }, attacks, Number(seconds ?? 2));
} else {
  const others = compare.map((text) => text.split('=')).map(([name = '', script = '']) => [name, { script }] as const);
  const own = { baseline: BASELINE, service: SERVICE, 'FAIR=false': { ...SERVICE, env: { FAIR: 'false' } } };
  await printComparison({ ...own, ...Object.fromEntries(others) }, Number(seconds ?? 60));
}
process.exit();
