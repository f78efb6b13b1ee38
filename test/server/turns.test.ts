import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { isTurn, PIECE_BYTES, SHORT_READS, takeTurn } from '../../src/server/turns.ts';

const LONG = PIECE_BYTES + 1;

/** `count` functions that add their numbers to `called`. */
const callbacksInto = (called: number[], count: number) => Array.from({ length: count }, (_, i) => () => { called.push(i); });
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('turns', { timeout: 20_000, concurrency: false }, () => {
  test('one long read is handled in each turn of the event loop, in order, and each once however often it has asked', async () => {
    const called: number[] = [];
    const callbacks = callbacksInto(called, 5);
    for (const callback of [...callbacks, ...callbacks]) takeTurn(callback, LONG);
    for (const callback of callbacks) takeTurn(callback, 1);
    for (const count of [1, 2, 3, 4, 5, 5]) {
      await turn();
      assert.deepEqual(called, upTo(count));
    }
  });

  test('a number of short reads is handled in each turn of the event loop, in order, and each once however often it has asked', async () => {
    const called: number[] = [];
    const callbacks = callbacksInto(called, 2 * SHORT_READS + 1);
    for (const callback of [...callbacks, ...callbacks]) takeTurn(callback, PIECE_BYTES);
    for (const callback of callbacks) takeTurn(callback, LONG);
    for (const turns of [1, 2, 3, 3]) {
      await turn();
      assert.deepEqual(called, upTo(Math.min(turns * SHORT_READS, callbacks.length)));
    }
  });

  test('those that come and those that wait are counted together', async () => {
    const called: number[] = [];
    for (let i = 0; i < 10; i += 1) assert.equal(isTurn(1), true);
    for (const callback of callbacksInto(called, SHORT_READS)) takeTurn(callback, 1);
    await turn();
    assert.deepEqual(called, upTo(SHORT_READS - 10));
    await turn();
    assert.deepEqual(called, upTo(SHORT_READS));
  });

  test('those with a long read do not keep those with a short one waiting', async () => {
    const called: string[] = [];
    for (let i = 0; i < 5; i += 1) takeTurn(() => called.push('long'), LONG);
    takeTurn(() => called.push('short'), 1);
    await turn();
    assert.deepEqual(called, ['short', 'long']);
    while (called.length < 6) await turn();
  });

  for (const [what, length] of [['short', PIECE_BYTES], ['long', LONG]] as const) {
    test(`who asks again has another turn, behind the others, with a ${what} read`, async () => {
      const called: string[] = [];
      takeTurn(function again() {
        called.push('again');
        if (called.length < 5) takeTurn(again, length);
      }, length);
      for (let i = 0; i < 2; i += 1) takeTurn(() => called.push('other'), length);
      const expected = ['again', 'other', 'other', 'again', 'again'];
      for (const count of length === LONG ? [1, 2, 3, 4, 5, 5] : [3, 4, 5, 5]) {
        await turn();
        assert.deepEqual(called, expected.slice(0, count));
      }
    });
  }

  test('a read is handled as it comes when it is short, few have come in this turn, and none waits', async () => {
    const asked = (count: number, length: number) => Array.from({ length: count }, () => isTurn(length));
    const all = Array.from({ length: SHORT_READS }, () => true);
    for (let turns = 0; turns < 3; turns += 1) {
      assert.deepEqual(asked(2, LONG), [false, false]);
      assert.deepEqual(asked(SHORT_READS + 2, PIECE_BYTES), [...all, false, false]);
      await turn();
    }
    takeTurn(() => {}, LONG);
    assert.equal(isTurn(1), true);
    takeTurn(() => {}, 1);
    assert.equal(isTurn(1), false);
    await turn();
    assert.equal(isTurn(1), true);
  });
});
