// The command line of the simulation.
import { parseArgs } from 'node:util';
import { createApp } from '../../src/app.ts';
import { describeFailure } from './check.ts';
import { allSequences } from './exhaustive.ts';
import { randomSequences } from './random-sequence.ts';
import { run } from './run.ts';

const { values } = parseArgs({
  options: {
    /** The seed of the first sequence; those of the others follow. */
    seed: { type: 'string', default: '1' },
    sequences: { type: 'string', default: '20000' },
    /** All sequences up to this depth instead of random ones. */
    exhaustive: { type: 'string' },
    /** Prints all events. */
    verbose: { type: 'boolean', default: false },
  },
});
const [seed, count, depth] = [wholeNumber('seed'), wholeNumber('sequences'), wholeNumber('exhaustive')];

const before = process.cpuUsage();
const { failure, count: played, digest } = await run(
  createApp,
  values.exhaustive === undefined ? randomSequences(seed, count) : allSequences(depth),
  values.verbose ? (events) => console.log(`${events.join('\n')}\n`) : undefined,
);
const { user, system } = process.cpuUsage(before);
const seconds = (user + system) / 1e6;
if (failure !== undefined) {
  const again = values.exhaustive === undefined ? `--seed ${seed + failure.index} --sequences 1 --verbose` : `--exhaustive ${depth}`;
  console.log(await describeFailure(createApp, failure.sequence, `npm run simulate -- ${again}`));
  process.exitCode = 1;
}
console.log(`${played} sequences in ${seconds.toFixed(1)} s of CPU time, ${Math.round(played / seconds)} a second, on Node ${process.versions.node}`);
console.log(`digest ${digest}`);

function wholeNumber(name: 'seed' | 'sequences' | 'exhaustive'): number {
  const number = Number(values[name] ?? 0);
  if (!Number.isInteger(number) || number < 0) throw new Error(`--${name} is ${values[name]}: a whole number of at least 0 is accepted.`);
  return number;
}
