// The command line of the simulation.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeFailure } from './check.ts';
import { allSequences } from './exhaustive.ts';
import { explore } from './explore.ts';
import { loadCopy } from './load-copy.ts';
import { randomSequences } from '../../support/sequences/random-sequence.ts';
import { CODE } from '../../support/sequences/service.ts';
import { run } from './run.ts';
import { OBSERVED, observeTransitions, TRACE_LENGTH } from './transitions.ts';

const { values } = parseArgs({
  options: {
    /** The seed of the first sequence; those of the others follow. */
    seed: { type: 'string', default: '1' },
    sequences: { type: 'string', default: '20000' },
    /** All sequences up to this depth instead of random ones. */
    exhaustive: { type: 'string' },
    /** Looks for new transitions, and for new combinations of what a connection can be in. */
    explore: { type: 'boolean', default: false },
    /** Prints all events. */
    verbose: { type: 'boolean', default: false },
  },
});
const [seed, count, depth] = [wholeNumber('seed'), wholeNumber('sequences'), wholeNumber('exhaustive')];

const before = process.cpuUsage();
const folder = mkdtempSync(join(tmpdir(), 'greeting-'));
const code = values.explore ? await loadCopy(folder, OBSERVED) : CODE;
const { transitions, combinations } = observeTransitions();
const seen = () => transitions.size + combinations.size;
const random = values.explore ? explore(seed, count, seen) : randomSequences(seed, count);
const { failure, count: played, digest } = await run(
  code,
  values.exhaustive === undefined ? random : allSequences(depth),
  values.verbose ? (events) => console.log(`${events.join('\n')}\n`) : undefined,
  values.explore ? TRACE_LENGTH : 0,
);
rmSync(folder, { recursive: true });
const { user, system } = process.cpuUsage(before);
const seconds = (user + system) / 1e6;
if (failure !== undefined) {
  const asked = values.exhaustive === undefined ? `--seed ${seed + failure.index} --sequences 1 --verbose` : `--exhaustive ${depth}`;
  const again = values.explore ? `--explore --seed ${seed} --sequences ${count}` : asked;
  console.log(await describeFailure(CODE, failure.sequence, `npm run simulate -- ${again}`));
  process.exitCode = 1;
}
console.log(`${played} sequences in ${seconds.toFixed(1)} s of CPU time, ${Math.round(played / seconds)} a second, on Node ${process.versions.node}`);
console.log(`digest ${digest}`);
if (values.explore) console.log(`${transitions.size} transitions, in ${combinations.size} combinations:\n${Array.from(transitions).sort().join('\n')}`);

function wholeNumber(name: 'seed' | 'sequences' | 'exhaustive'): number {
  const number = Number(values[name] ?? 0);
  if (!Number.isInteger(number) || number < 0) throw new Error(`--${name} is ${values[name]}: a whole number of at least 0 is accepted.`);
  return number;
}
