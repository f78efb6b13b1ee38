// The command line of the simulation.
import { parseArgs } from 'node:util';
import { randomSequences } from '../../support/sequences/random-sequence.ts';
import { describeFailure, run } from './run.ts';
import { CODE } from './service.ts';

// The seed of the first sequence; those of the others follow.
const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' }, sequences: { type: 'string', default: '20000' } } });
const [seed = 0, count = 0] = [values.seed, values.sequences].map((text) => {
  if (!/^\d+$/.test(text)) throw new Error(`${text} is not a whole number of at least 0.`);
  return Number(text);
});

const before = process.cpuUsage();
const result = await run(CODE, randomSequences(seed, count));
const { user, system } = process.cpuUsage(before);
if (result.failure !== undefined) {
  const { index, sequence } = result.failure;
  console.log(await describeFailure(CODE, sequence, `npm run simulate -- --seed ${seed + index} --sequences 1`));
  process.exitCode = 1;
}
const seconds = ((user + system) / 1e6).toFixed(1);
console.log(`${result.count} sequences in ${seconds} s of CPU time, on Node ${process.versions.node}\ndigest ${result.digest}`);
