// The simulation finds each of the mutants, within the sequences of simulation.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../../support/certificates.ts';
import { defaultSequences } from './exhaustive.ts';
import { MUTANTS } from './mutants.ts';
import { run } from './run.ts';
import { loadCopy } from './service.ts';

for (const mutant of MUTANTS) {
  test(`found: ${mutant.name}`, async (t) => {
    const { failure, count } = await run(await loadCopy(temporaryFolder(t), mutant), defaultSequences());
    assert.notEqual(failure, undefined, `${count} sequences did not find it`);
    t.diagnostic(`${failure?.fault.invariant}, in sequence ${count}`);
  });
}
