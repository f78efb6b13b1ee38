import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_PARAMETERS } from '../../src/api/greeting-query.ts';
import { formatTimeStamp, greet } from '../../src/api/greeting.ts';

const greetName = (name: string) => greet({ ...DEFAULT_PARAMETERS, name }, '2026-11-20T10:15:30.007+00:00');

test('a greeting has the trimmed name and the time stamp', () => {
  assert.deepEqual(greetName(' \tAda Lovelace\u00a0'), { message: 'Hello, Ada Lovelace!', generatedAt: '2026-11-20T10:15:30.007+00:00' });
});

test('the greeting itself refuses a name of white space only', () => {
  for (const name of ['', ' ', '\t\n\u3000']) {
    assert.throws(() => greetName(name), { name: 'RangeError', message: 'A name that is only white space cannot be greeted.' });
  }
});

test('a time stamp is in UTC, has milliseconds, and has the offset +00:00', () => {
  assert.equal(formatTimeStamp(Date.UTC(2026, 10, 20, 10, 15, 30, 7)), '2026-11-20T10:15:30.007+00:00');
  assert.equal(formatTimeStamp(0), '1970-01-01T00:00:00.000+00:00');
});

test('a time that no date can hold is refused', () => {
  for (const time of [Number.NaN, 8.64e15 + 1]) assert.throws(() => formatTimeStamp(time), RangeError);
});
