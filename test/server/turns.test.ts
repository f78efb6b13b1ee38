import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { takeTurn } from '../../src/server/turns.ts';

test('one has its turn in each turn of the event loop, in order, and each once however often it has asked', async () => {
  const called: number[] = [];
  const callbacks = Array.from({ length: 5 }, (_, i) => () => called.push(i));
  for (const callback of [...callbacks, ...callbacks]) takeTurn(callback);
  for (const count of [1, 2, 3, 4, 5, 5]) {
    await turn();
    assert.deepEqual(called, Array.from({ length: count }, (_, i) => i));
  }
});

test('who asks again has another turn, behind the others', async () => {
  const called: string[] = [];
  takeTurn(function again() {
    called.push('again');
    if (called.length < 3) takeTurn(again);
  });
  takeTurn(() => called.push('other'));
  for (const expected of [['again'], ['again', 'other'], ['again', 'other', 'again'], ['again', 'other', 'again']]) {
    await turn();
    assert.deepEqual(called, expected);
  }
});
