import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greet } from '../../src/api/greeting.ts';

test('a greeting has the trimmed name and the instant', () => {
  assert.deepEqual(greet(' \tAda Lovelace\u00a0', Date.UTC(2026, 10, 20, 10, 15, 30, 7)), {
    message: 'Hello, Ada Lovelace!',
    generatedAt: '2026-11-20T10:15:30.007+00:00',
  });
});

test('the rule itself refuses a name of white space only', () => {
  for (const name of ['', ' ', '\t\n\u3000']) {
    assert.throws(() => greet(name, 0), { name: 'RangeError', message: 'A name of white space only cannot be greeted.' });
  }
});

test('a time that no date can hold is refused, each time', () => {
  for (const now of [Number.NaN, Number.NaN, 8.64e15 + 1]) assert.throws(() => greet('Ada', now), RangeError);
});
