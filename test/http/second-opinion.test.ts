// A second opinion on the reader, from node's own parser: what the reader accepts is the same message for node, also where it ends.
//
// A failure names its seed: SECOND_OPINION_SEED=<seed> SECOND_OPINION_COUNT=1 makes that request again. SECOND_OPINION_COUNT asks for more,
// and SECOND_OPINION_SECONDS for as many as fit into that time, from a seed that is new each time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import type { Group } from '../support/corpus/entry.ts';
import { last } from '../support/corpus/last.ts';
import { mutated } from '../support/corpus/mutate.ts';
import { served } from '../support/corpus/served.ts';
import { createRandom, type Random } from '../support/random.ts';
import { differenceIn } from './second-opinion/compare.ts';
import { headLength, REWRITINGS, writtenForNode } from './second-opinion/node-opinion.ts';

const SECONDS = process.env['SECOND_OPINION_SECONDS'];
const FIRST_SEED = Number(process.env['SECOND_OPINION_SEED'] ?? (SECONDS === undefined ? 1 : Date.now()));
const COUNT = SECONDS === undefined ? Number(process.env['SECOND_OPINION_COUNT'] ?? 1000) : Infinity;
const MAX_FAULTS = 5; // then it is no use to go on

const bytesIn = (groups: readonly Group[]) => groups.flatMap(({ entries }) => entries.map(({ bytes }) => bytes));
const LEGAL = bytesIn(served('a'));
const [SHORT, LONG] = [LEGAL.filter(({ length }) => length <= 1_000), LEGAL.filter(({ length }) => length > 1_000)];
// What follows, so that most requests are whole or refused.
const AFTER = ['', '\r\n\r\n', '0\r\n\r\n', '\r\n0\r\n\r\n', 'abc\r\n0\r\n\r\n', 'GET /b HTTP/1.1\r\nHost: b\r\n\r\n'] as const;

function mutatedRequest(random: Random): string {
  const { below, pick } = random;
  const from = below(100) === 0 ? LONG : SHORT;
  let text = from[below(from.length)] ?? '';
  for (let mutations = pick([1, 1, 1, 2, 3]); mutations > 0; mutations -= 1) text = mutated(text, random);
  return text + pick(AFTER);
}

test('node agrees on each request of the corpus that is not refused', () => {
  for (const text of [...LEGAL, ...bytesIn(last('a'))]) assert.equal(differenceIn(text), undefined, JSON.stringify(text.slice(0, 1_000)));
});

test('each rewriting for node is there because of a request of the corpus', () => {
  for (const { reason, of, write } of REWRITINGS) {
    const part = (text: string) => (of === 'head' ? text.slice(0, headLength(text)) : text);
    assert.ok(LEGAL.some((text) => writtenForNode(text) !== text && write(part(text)) !== part(text)), reason);
  }
});

test(`${COUNT} requests, from seed ${FIRST_SEED}, are for node what they are for the reader`, async () => {
  const faults: string[] = [];
  const overAt = Date.now() + 1_000 * Number(SECONDS ?? Infinity);
  for (let seed = FIRST_SEED; seed < FIRST_SEED + COUNT && faults.length < MAX_FAULTS && Date.now() < overAt; seed += 1) {
    const text = mutatedRequest(createRandom(seed));
    const fault = differenceIn(text);
    if (fault !== undefined) faults.push(`Seed ${seed}: ${fault} ${JSON.stringify(text)}`);
    if (seed % 100 === 0) await iteration(); // node frees the parsers of the connections that are closed
  }
  assert.deepEqual(faults, []);
});
