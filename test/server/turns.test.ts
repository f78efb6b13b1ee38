import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { countRead, leave, mayReadNow, PIECE_BYTES, waitForTurn } from '../../src/server/turns.ts';

const LONG = PIECE_BYTES + 1;
const kinds = [['short', PIECE_BYTES], ['long', LONG]] as const;
const MOST = 64 * 1024 - 512; // a short read that counts for so many bytes is the only one in its turn

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('turns', { timeout: 20_000, concurrency: false }, () => {
  for (const [kind, length] of kinds) {
    const [what, other, counts] = kind === 'short'
      ? ['short reads of 64 KiB, each with 512 bytes more,', LONG, [26, 52, 60]]
      : ['one long read', 1, [1, 2, 3, 4]];

    test(`${what} of those that wait are handled in a turn, in order, and each once however often it has asked`, async () => {
      const called: number[] = [];
      const callbacks = upTo(counts.at(-1) ?? 0).map((i) => () => { called.push(i); countRead(length); });
      for (const callback of [...callbacks, ...callbacks]) waitForTurn(callback, length);
      for (const callback of callbacks) waitForTurn(callback, other);
      for (const count of [...counts, callbacks.length]) {
        await turn();
        assert.deepEqual(called, upTo(count));
      }
    });

    test(`one ${kind} read is handled in each turn, whatever it counts for`, async () => {
      const called: number[] = [];
      for (const i of upTo(3)) waitForTurn(() => { called.push(i); countRead(1_000_000); }, length);
      for (const count of [1, 2, 3, 3]) {
        await turn();
        assert.deepEqual(called, upTo(count));
      }
    });

    test(`who asks again has another turn, behind the others, with a ${kind} read`, async () => {
      const called: string[] = [];
      waitForTurn(function again() {
        called.push('again');
        if (called.length < 5) waitForTurn(again, length);
      }, length);
      for (let i = 0; i < 2; i += 1) waitForTurn(() => called.push('other'), length);
      for (const count of kind === 'short' ? [3, 4, 5, 5] : [1, 2, 3, 4, 5, 5]) {
        await turn();
        assert.deepEqual(called, ['again', 'other', 'other', 'again', 'again'].slice(0, count));
      }
    });
  }

  test('who has left has no turn', async () => {
    const called: string[] = [];
    const others = kinds.map(([kind, length]) => ({ length, callback: () => called.push(kind) }));
    for (const { length, callback } of others) {
      waitForTurn(() => called.push('first'), length);
      waitForTurn(callback, length);
      waitForTurn(() => called.push('last'), length);
    }
    for (const { callback } of others) leave(callback);
    for (let turns = 0; turns < 4; turns += 1) await turn();
    assert.deepEqual(called, ['first', 'last', 'first', 'last']);
  });

  test('those with a long read do not keep those with a short one waiting, nor the other way round', async () => {
    const called: string[] = [];
    for (const [kind, length] of [...kinds].reverse()) {
      for (let i = 0; i < 2; i += 1) waitForTurn(() => { called.push(kind); countRead(MOST); }, length);
    }
    await turn();
    assert.deepEqual(called, ['short', 'long']);
    await turn();
    assert.deepEqual(called, ['short', 'long', 'short', 'long']);
  });

  for (const [bytes, count] of [[0, 128], [80, 111], [PIECE_BYTES, 26], [MOST - 1, 2], [MOST, 1]] as const) {
    test(`${count} reads that count for ${bytes} bytes are handled as they come in a turn, when they are short`, async () => {
      for (let turns = 0; turns < 3; turns += 1) {
        assert.equal(mayReadNow(LONG), false);
        for (const _ of upTo(count)) {
          assert.equal(mayReadNow(PIECE_BYTES), true);
          countRead(bytes);
        }
        assert.equal(mayReadNow(1), false);
        await turn();
      }
    });
  }

  test('a short read waits behind another one, but not behind a long one', async () => {
    waitForTurn(() => {}, LONG);
    assert.equal(mayReadNow(1), true);
    waitForTurn(() => {}, 1);
    assert.equal(mayReadNow(1), false);
    await turn();
    assert.equal(mayReadNow(1), true);
    await turn();
  });

  test('those that come and those that wait share a turn', async () => {
    const called: number[] = [];
    countRead(MOST - 1);
    for (const i of upTo(130)) waitForTurn(() => { called.push(i); countRead(0); }, 1);
    for (const count of [1, 129, 130]) {
      await turn();
      assert.deepEqual(called, upTo(count));
    }
  });
});
