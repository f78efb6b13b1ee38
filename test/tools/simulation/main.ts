// The command line of the simulation.
import { parseArgs } from 'node:util';
import { randomSequences } from './random-sequence.ts';
import { describeFailure, run } from './run.ts';
import { CODE } from './service.ts';

// The seed of the first sequence; those of the others follow.
const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' }, sequences: { type: 'string', default: '20000' } } });
const [seed, count] = [Number(values.seed), Number(values.sequences)];
if (!Number.isInteger(seed) || !Number.isInteger(count)) throw new Error('--seed and --sequences must be whole numbers.');

const failure = await run(CODE, randomSequences(seed, count));
if (failure === undefined) console.log(`Passed: ${count} sequences.`);
else {
  console.log(await describeFailure(CODE, failure.sequence, `npm run simulate -- --seed ${seed + failure.index} --sequences 1`));
  process.exitCode = 1;
}
