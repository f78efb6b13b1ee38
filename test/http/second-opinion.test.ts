// A second opinion on the reader, from node's own parser: what the reader accepts is the same message for node, also where it ends.
// SECOND_OPINION_SECONDS: as many requests as fit into that time, different ones each time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import type { Group } from '../support/corpus/entry.ts';
import { last } from '../support/corpus/last.ts';
import { mutated } from './second-opinion/mutate.ts';
import { served } from '../support/corpus/served.ts';
import { createRandom, type Random } from '../support/random.ts';
import { differenceIn } from './second-opinion/compare.ts';

const SECONDS = process.env['SECOND_OPINION_SECONDS'];
const [FIRST_SEED, COUNT] = SECONDS === undefined ? [1, 1_000] : [Date.now(), Infinity];
const MAX_FAULTS = 5; // then there is no point in going on

const bytesIn = (groups: readonly Group[]) => groups.flatMap(({ entries }) => entries.map(({ bytes }) => bytes));
const LEGAL = bytesIn(served('a'));
const SHORT = LEGAL.filter(({ length }) => length <= 1_000);
// What follows, so that most requests are whole or refused.
const AFTER = ['', '\r\n\r\n', '0\r\n\r\n', '\r\n0\r\n\r\n', 'abc\r\n0\r\n\r\n', 'GET /b HTTP/1.1\r\nHost: b\r\n\r\n'] as const;

function mutatedRequest(random: Random): string {
  let text = SHORT[random.below(SHORT.length)] ?? '';
  for (let mutations = random.pick([1, 1, 1, 2, 3]); mutations > 0; mutations -= 1) text = mutated(text, random);
  return text + random.pick(AFTER);
}

test('node agrees on each request of the corpus that is not refused', () => {
  for (const text of [...LEGAL, ...bytesIn(last('a'))]) assert.equal(differenceIn(text), undefined, JSON.stringify(text.slice(0, 1_000)));
});

test(`changed requests, from seed ${FIRST_SEED}, are for node what they are for the reader`, async () => {
  const faults: string[] = [];
  const overAt = Date.now() + 1_000 * Number(SECONDS ?? Infinity);
  for (let seed = FIRST_SEED; seed < FIRST_SEED + COUNT && faults.length < MAX_FAULTS && Date.now() < overAt; seed += 1) {
    const text = mutatedRequest(createRandom(seed));
    const fault = differenceIn(text);
    if (fault !== undefined) faults.push(`${fault} ${JSON.stringify(text)}`);
    if (seed % 100 === 0) await iteration(); // node frees the parsers of the connections that are closed
  }
  assert.deepEqual(faults, []);
});
