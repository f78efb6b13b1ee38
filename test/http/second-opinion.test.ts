// A second opinion on the reader, from node's own parser: what the reader accepts is the same message for node, and each difference
// is of a known kind. And however the bytes are cut, the reader says the same of them.
//
// A failure names its seed: SECOND_OPINION_SEED=<seed> SECOND_OPINION_COUNT=1 makes that request again. SECOND_OPINION_COUNT asks for more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createRandom, type Random } from '../support/random.ts';
import { differenceIn } from './second-opinion/compare.ts';
import { LONG, SHORT } from './second-opinion/corpus.ts';
import { mutatedRequest } from './second-opinion/mutations.ts';
import { partsOf } from './second-opinion/parts.ts';
import { cutThatMatters, readInPieces } from './second-opinion/reader-opinion.ts';
import { ENDED_BY_NODE, REFUSED_BY_NODE } from './second-opinion/refused-by-node.ts';
import { REFUSED_BY_READER } from './second-opinion/refused-by-reader.ts';

const FIRST_SEED = Number(process.env['SECOND_OPINION_SEED'] ?? 1);
const COUNT = Number(process.env['SECOND_OPINION_COUNT'] ?? 1000);
const MAX_FAULTS = 5; // then it is no use to go on
const MAX_CUT_BYTES = 80; // a longer request is cut at random

const bytesOf = (text: string) => Buffer.from(text, 'latin1');
const everyCut = (bytes: Buffer) => Array.from({ length: bytes.length + 1 }, (_, at) => [at]);
const opinionOf = (text: string) => readInPieces(bytesOf(text)).opinion;

/** Some cuts in order, at random places. */
function randomCuts(bytes: Buffer, { below }: Random): number[] {
  return Array.from({ length: 1 + below(5) }, () => below(bytes.length + 1)).sort((a, b) => a - b);
}

function waysToCut(bytes: Buffer, random: Random): number[][] {
  return bytes.length <= MAX_CUT_BYTES ? everyCut(bytes) : Array.from({ length: 4 }, () => randomCuts(bytes, random));
}

test('node agrees on each request of the corpus', () => {
  for (const text of [...SHORT, ...LONG]) assert.equal(differenceIn(text, () => {}), undefined, JSON.stringify(text));
});

test('no cut of a short request of the corpus matters, and no two cuts', () => {
  for (const text of SHORT) {
    const bytes = bytesOf(text);
    const pairs = everyCut(bytes).flatMap(([at = 0]) => [[at, at], [at, at + 1], [at, at + 2]].filter(([, to = 0]) => to <= bytes.length));
    assert.equal(cutThatMatters(bytes, [[], ...everyCut(bytes), ...pairs]), undefined, JSON.stringify(text));
  }
});

test('no cut near a line of a long request of the corpus matters', () => {
  for (const text of LONG) {
    const bytes = bytesOf(text);
    const lineEnds = Array.from(text.matchAll(/\n/g), ({ index }) => index);
    const near = [...lineEnds.slice(0, 3), ...lineEnds.slice(-3)].flatMap((end) => [end - 2, end - 1, end, end + 1, end + 2]);
    const ways = near.filter((at) => at >= 0 && at <= bytes.length).map((at) => [at]);
    assert.equal(cutThatMatters(bytes, [[], ...ways]), undefined, JSON.stringify(text));
  }
});

test('each kind of difference has an example', () => {
  for (const { status, reason, is, example } of REFUSED_BY_READER) {
    assert.deepEqual([is(partsOf(example)), opinionOf(example).status, differenceIn(example, () => {})], [true, status, undefined], reason);
  }
  for (const { reason, without, example } of REFUSED_BY_NODE) {
    const plain = without(example);
    assert.notEqual(plain, example, reason);
    assert.deepEqual([example, plain].map((text) => opinionOf(text).end), [example.length, plain.length], reason);
    assert.equal(differenceIn(example, () => {}), undefined, reason);
  }
  for (const { reason, is, example } of ENDED_BY_NODE) {
    const isLast = opinionOf(example).members?.['isLast'];
    assert.deepEqual([is(partsOf(example)), isLast, differenceIn(example, () => {})], [true, false, undefined], reason);
  }
});

test(`${COUNT} requests, from seed ${FIRST_SEED}, are for node what they are for the reader, and no cut matters`, async (t) => {
  const faults: string[] = [];
  const reasons = new Map<string, number>();
  const tell = (reason: string) => reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  for (let seed = FIRST_SEED; seed < FIRST_SEED + COUNT && faults.length < MAX_FAULTS; seed += 1) {
    const random = createRandom(seed);
    const text = mutatedRequest(random);
    const bytes = bytesOf(text);
    const fault = differenceIn(text, tell) ?? cutThatMatters(bytes, waysToCut(bytes, random));
    if (fault !== undefined) faults.push(`Seed ${seed}: ${fault} ${JSON.stringify(text)}`);
    if (seed % 100 === 0) await turn(); // node frees the parsers of the connections that are closed
  }
  for (const [reason, count] of reasons) t.diagnostic(`${count} differences. ${reason}`);
  assert.deepEqual(faults, []);
});
