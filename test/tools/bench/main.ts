// npm run bench compares the CPU time of servers. `-- --attack` measures how long an honest client waits while others
// attack, `-- --stop` how many requests are lost at a stop.
import { parseArgs } from 'node:util';
import { ATTACKS } from './attacks.ts';
import { printComparison } from './cpu.ts';
import { BASELINE, SERVICE, type Program } from './processes.ts';
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
const programs = new Map<string, Program>(attack && !baseline ? [] : [['baseline', BASELINE]]);
programs.set('service', SERVICE);
if (stop) await printLost();
else if (attack) {
  await printWaits(programs, ATTACKS.filter(({ name }) => name.startsWith(only)), Number(seconds ?? 2));
} else {
  programs.set('FAIR=false', { ...SERVICE, env: { FAIR: 'false' } });
  for (const [name = '', script = ''] of compare.map((text) => text.split('='))) programs.set(name, { script });
  await printComparison(programs, Number(seconds ?? 60));
}
process.exit();
