// The greeting, its time, and the endpoint that puts them together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGreetingEndpoint } from '../../src/api/greeting-endpoint.ts';
import { formatTimestamp, greet } from '../../src/api/greeting.ts';
import { contentReply } from '../../src/http/reply.ts';

test('a greeting has the name without the white space around it, of which alone nothing can be made', () => {
  assert.equal(greet(' \tAda  Lovelace\u00a0\ufeff'), 'Hello, Ada  Lovelace!');
  const error = new RangeError('A name that is only white space cannot be greeted.');
  for (const name of ['', '\t\n\u3000']) assert.throws(() => greet(name), error);
});

test('a time is written in UTC, to the millisecond, with an offset; each greeting has its own', () => {
  let now = 0;
  const endpoint = createGreetingEndpoint(() => now);
  for (const [time, text] of [
    [0, '1970-01-01T00:00:00.000+00:00'], [Date.UTC(2024, 1, 29, 23, 59, 59, 7), '2024-02-29T23:59:59.007+00:00'],
  ] as const) {
    now = time;
    const body = `{"message":"Hello, \\"!","generatedAt":"${text}"}`;
    const expected = contentReply(200, 'application/json; charset=utf-8', body);
    assert.deepEqual(endpoint({ query: 'a=b&name=+%22+', traceparent: '' }), expected);
  }
  for (const time of [NaN, 8.64e15 + 1]) assert.throws(() => formatTimestamp(time), RangeError);
});
