// All sequences up to a depth, and some random ones: see main.ts for more of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultSequences, DEPTH, playAgain, RANDOM_SEQUENCES } from './exhaustive.ts';
import { randomSequences } from '../../support/sequences/random-sequence.ts';
import { CODE } from './service.ts';
import { describeFailure, run } from './run.ts';

// Before the first `test`: from there on, node's runner follows every promise, which takes longer than the sequences.
const { failure } = await run(CODE, defaultSequences());

test(`${RANDOM_SEQUENCES} random sequences, and all of up to ${DEPTH} steps, end as they must`, async () => {
  assert.equal(failure && await describeFailure(CODE, failure.sequence, playAgain(failure.index)), undefined);
});

test('the same seed gives the same bytes and events', async () => {
  const first = await run(CODE, randomSequences(7, 100));
  const second = await run(CODE, randomSequences(7, 100));
  assert.equal(first.digest, second.digest);
});
