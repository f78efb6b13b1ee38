import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Records } from '../../src/transport/records.ts';
import { cutsOf } from '../support/cuts.ts';

const record = (length: number) => Buffer.concat([Buffer.from([0x17, 3, 3, length >> 8, length & 255]), Buffer.alloc(length, 0x17)]);
const records = (...lengths: readonly number[]) => Buffer.concat(lengths.map(record));

for (const [what, bytes, passes] of [
  ['15 short ones of 16', records(...Array.from({ length: 16 }, () => 20)), [[375, 15], [25, 1]]],
  ['a long one, after which a short one would cost too much', records(14_331, 1), [[14_336, 1], [6, 1]]],
  ['no part of a third one that would cost too much', records(300, 14_000, 100), [[14_310, 2], [105, 1]]],
] as const) {
  test(`what passes at once is ${what}`, () => {
    const counter = new Records();
    const seen: (readonly [number, number])[] = [];
    for (let at = 0; at < bytes.length;) {
      const { length, count } = counter.pass(bytes.subarray(at), 15_360, 1_024);
      seen.push([length, count]);
      at += length;
    }
    assert.deepEqual(seen, passes);
    assert.equal(counter.pass(records(0), Infinity, 1).count, 1, 'the last record is complete');
  });
}

test('how the bytes are cut makes no difference', () => {
  const bytes = records(3, 0, 300, 1);
  for (const pieces of cutsOf(bytes.toString('latin1'))) {
    const counter = new Records();
    const begun = pieces.reduce((sum, piece) => sum + counter.pass(Buffer.from(piece, 'latin1'), Infinity, 1).count, 0);
    assert.deepEqual([begun, counter.pass(records(0), Infinity, 1).count], [4, 1]);
  }
});
