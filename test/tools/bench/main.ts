// npm run bench compares the CPU time, the start and the memory of servers. `-- --attack` measures how long an honest
// client waits while others attack, `-- --stop` how many requests are lost at a stop.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startLoad } from '../fleet/load.ts';
import { ATTACKS, COMPARED } from './attacks.ts';
import { printComparison } from './cpu.ts';
import { SERVICE, startServer } from './processes.ts';
import { WAYS } from './requests.ts';
import { BARE, findServers } from './servers.ts';
import { printWaits } from './waits.ts';

const STOPS = 4; // with a new server each time
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
if (stop) {
  for (let i = 0; i < STOPS; i += 1) for (const isTls of [false, true]) await stopUnderLoad(isTls);
} else if (attack) {
  const attacks = beside !== '' && only === undefined ? COMPARED : ATTACKS.filter(isMeasured);
  await printWaits({ service: SERVICE, ...await findServers(beside) }, attacks, Number(seconds));
} else {
  await printComparison({ node: BARE, service: SERVICE, ...await findServers(beside) }, isMeasured, Number(rounds));
}
process.exit();

async function stopUnderLoad(isTls: boolean): Promise<void> {
  const { tls } = WAYS;
  const { child, port } = await startServer(SERVICE, isTls ? tls : {});
  const plain = { host: '127.0.0.1', port, servername: 'localhost' };
  const address = isTls ? { ...plain, ca: readFileSync(tls.TLS_CERT_FILE) } : plain;
  const load = startLoad([address, address, address], true);
  await load.more();
  child.kill('SIGTERM');
  await once(child, 'close');
  await load.stop(isTls ? 'TLS' : 'TCP');
}
