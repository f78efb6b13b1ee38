// npm run bench compares the CPU time, the start and the memory of servers. `-- --attack` measures how long an honest
// client waits while others attack, `-- --stop` how many requests are lost at a stop.
import { parseArgs } from 'node:util';
import { ATTACKS, COMPARED } from './attacks.ts';
import { printComparison } from './cpu.ts';
import { SERVICE } from './processes.ts';
import { BARE, findServers } from './servers.ts';
import { printLost } from './stop.ts';
import { printWaits } from './waits.ts';

const { attack, beside, only, rounds, seconds, stop } = parseArgs({
  options: {
    beside: { type: 'string', default: '' }, // other servers, separated by commas: see servers.ts, or NAME=SCRIPT
    only: { type: 'string' }, // what is measured: names that match this pattern
    rounds: { type: 'string', default: '3' }, // of the comparison
    attack: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '2' }, // of each attack
    stop: { type: 'boolean', default: false },
  },
}).values;

console.log(`Node ${process.version}\n`);
const isMeasured = ({ name }: { readonly name: string }) => new RegExp(only ?? '').test(name);
if (stop) await printLost();
else if (attack) {
  const attacks = beside !== '' && only === undefined ? COMPARED : ATTACKS.filter(isMeasured);
  await printWaits({ service: SERVICE, ...await findServers(beside) }, attacks, Number(seconds));
} else {
  await printComparison({ node: BARE, service: SERVICE, ...await findServers(beside) }, isMeasured, Number(rounds));
}
process.exit();
