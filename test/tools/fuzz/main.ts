// npm run fuzz: random clients for so many seconds, and a model of what must be true. The first round has the seed
// itself, the next one that plus 1, and so on: so the seed of a round that has failed repeats it.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { tlsVariables } from '../../support/certificates.ts';
import { runRound } from './round.ts';

const MIB = 2 ** 20;
const SAMPLE = 10; // rounds, of which the least counts
const GROWTH = { heapUsed: 8 * MIB, rss: 100 * MIB }; // that may be, from the first ones to the last ones

const { seed, seconds } = parseArgs({
  options: { seed: { type: 'string', default: String(Date.now() % 1e9) }, seconds: { type: 'string', default: '20' } },
}).values;
const { TLS_CERT_FILE, TLS_KEY_FILE } = tlsVariables();
const tls = { cert: readFileSync(TLS_CERT_FILE), key: readFileSync(TLS_KEY_FILE) };

console.log(`Node ${process.version}, seed ${seed}`);
const end = performance.now() + 1000 * Number(seconds);
const [faults, memory]: [string[], NodeJS.MemoryUsage[]] = [[], []];
let [own, replies, honest] = [Number(seed), 0, 0];
do {
  const round = await runRound(own, tls);
  faults.push(...round.faults);
  replies += round.replies;
  honest += round.honest;
  globalThis.gc?.();
  memory.push(process.memoryUsage());
  for (const name of ['heapUsed', 'rss'] as const) {
    const used = memory.map((one) => one[name]);
    const [first, last] = [Math.min(...used.slice(0, SAMPLE)), Math.min(...used.slice(-SAMPLE))];
    if (last > first + GROWTH[name]) faults.push(`${name} has grown from ${first} to ${last} bytes`);
  }
  own += 1;
} while (faults.length === 0 && performance.now() < end);
console.log(`${memory.length} rounds, ${replies} replies, ${honest} to the honest client; ${faults.length} faults`);
if (faults.length > 0) console.log([`npm run fuzz -- --seed ${own - 1} --seconds 0`, ...faults].join('\n'));
process.exit(Math.min(1, faults.length));
