import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { takeTurn } from '../../src/server/turns.ts';

test('16 have their turn in each turn of the event loop, in order, and each once however often it has asked', async () => {
  const called: number[] = [];
  const callbacks = Array.from({ length: 40 }, (_, i) => () => called.push(i));
  for (const callback of [...callbacks, ...callbacks]) takeTurn(callback);
  for (const count of [16, 32, 40, 40]) {
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
  await turn();
  assert.deepEqual(called, ['again', 'other']);
  await turn();
  assert.deepEqual(called, ['again', 'other', 'again']);
});
