// The command line of the simulation.
import { parseArgs } from 'node:util';
import { folderOfProcess } from '../../support/certificates.ts';
import { randomSequences } from '../../support/sequences/random-sequence.ts';
import { allSequences } from './exhaustive.ts';
import { explore, OBSERVED, observeTransitions, TRACE_LENGTH } from './explore.ts';
import { describeFailure, run } from './run.ts';
import { CODE, loadCopy } from './service.ts';

const { values: { explore: explores, ...numbers } } = parseArgs({
  options: {
    /** The seed of the first sequence; those of the others follow. */
    seed: { type: 'string', default: '1' },
    sequences: { type: 'string', default: '20000' },
    /** All sequences up to this depth instead of random ones. */
    exhaustive: { type: 'string', default: '0' },
    /** Looks for new transitions, and for new combinations of what a connection can be in. */
    explore: { type: 'boolean', default: false },
  },
});
const [seed = 0, count = 0, depth = 0] = [numbers.seed, numbers.sequences, numbers.exhaustive].map((text) => {
  if (!/^\d+$/.test(text)) throw new Error(`${text} is not a whole number of at least 0.`);
  return Number(text);
});

const { transitions, combinations } = observeTransitions();
const random = explores ? explore(seed, count, () => transitions.size + combinations.size) : randomSequences(seed, count);
const before = process.cpuUsage();
const code = explores ? await loadCopy(folderOfProcess(), OBSERVED) : CODE;
const result = await run(code, depth > 0 ? allSequences(depth) : random, explores ? TRACE_LENGTH : 0);
const { user, system } = process.cpuUsage(before);
const seconds = (user + system) / 1e6;
if (result.failure !== undefined) {
  const { index, sequence } = result.failure;
  const one = depth > 0 ? `--exhaustive ${depth}` : `--seed ${seed + index} --sequences 1`;
  const again = explores ? `--explore --seed ${seed} --sequences ${count}` : one;
  console.log(await describeFailure(CODE, sequence, `npm run simulate -- ${again}`));
  process.exitCode = 1;
}
console.log(`${result.count} sequences in ${seconds.toFixed(1)} s of CPU time, on Node ${process.versions.node}\ndigest ${result.digest}`);
if (explores) console.log(`${transitions.size} transitions, in ${combinations.size} combinations:\n${[...transitions].sort().join('\n')}`);
