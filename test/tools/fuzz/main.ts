// npm run fuzz: random clients for so many seconds, and a model of what must be true. The first round has the seed
// itself, the next one that plus 1, and so on: so the seed of a round that has failed repeats it.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { makeCertificate, temporaryFolder } from '../../support/certificates.ts';
import { runRound } from './round.ts';

const WARM_UP = 10; // rounds
const GROWTH_MIB = { heap: 4, resident: 100 }; // after that, at most. Half of it was seen, up and down.

const { seed, seconds } = parseArgs({
  options: { seed: { type: 'string', default: String(Date.now() % 1e9) }, seconds: { type: 'string', default: '20' } },
}).values;
const folder = temporaryFolder();
const { certFile, keyFile } = makeCertificate(folder, 'localhost');
const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };

console.log(`Node ${process.version}, seed ${seed}`);
const end = performance.now() + 1000 * Number(seconds);
const faults: string[] = [];
let [own, replies, honest] = [Number(seed), 0, 0];
let least = { heap: Infinity, resident: Infinity }; // in MiB
do {
  const round = await runRound(own, folder, tls);
  replies += round.replies;
  honest += round.honest;
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const [heap, resident] = [heapUsed / 2 ** 20, rss / 2 ** 20];
  if (own < Number(seed) + WARM_UP) least = { heap, resident };
  faults.push(...round.faults);
  if (heap > least.heap + GROWTH_MIB.heap) faults.push(`the heap has grown from ${least.heap} to ${heap} MiB`);
  if (resident > least.resident + GROWTH_MIB.resident) faults.push(`memory: from ${least.resident} to ${resident} MiB`);
  own += 1;
} while (faults.length === 0 && performance.now() < end);
const rounds = own - Number(seed);
console.log(`${rounds} rounds, ${replies} replies, and ${honest} to the honest client; ${faults.length} faults`);
if (faults.length > 0) console.log([`npm run fuzz -- --seed ${own - 1} --seconds 0`, ...faults].join('\n'));
process.exit(Math.min(1, faults.length));
