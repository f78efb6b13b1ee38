// Rare sequences, and some random ones: see main.ts for more of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSequences } from '../../support/sequences/random-sequence.ts';
import { RARE } from '../../support/sequences/rare-sequences.ts';
import { defaultSequences, describeFailure, run } from './run.ts';
import { CODE } from './service.ts';

// Before the first `test`: from there on, node's runner follows every promise, which takes longer than the sequences.
const { failure } = await run(CODE, defaultSequences());

test('all sequences end as they must', async () => {
  if (failure === undefined) return;
  const seed = 1 + failure.index - RARE.length;
  assert.fail(await describeFailure(CODE, failure.sequence, seed < 1 ? 'npm test' : `npm run simulate -- --seed ${seed} --sequences 1`));
});

test('the same seed gives the same events', async () => {
  const [first, second] = [await run(CODE, randomSequences(7, 100)), await run(CODE, randomSequences(7, 100))];
  assert.equal(first.digest, second.digest);
});
