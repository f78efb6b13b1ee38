import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGreetingEndpoint } from '../../src/api/greeting-endpoint.ts';

const TIME = Date.UTC(2026, 10, 20, 10, 15, 30, 7);
let time = TIME;
const endpoint = createGreetingEndpoint(() => time);
const bodyOf = (query: string, traceparent = '00-1-2-00') =>
  endpoint({ method: 'GET', path: '/api/greetings', query, host: 'localhost', traceparent }).body;

// What one request leaves behind must not be seen by the next one.
test('each greeting has its own name and its own time, also when another was made right before', () => {
  for (const [ms, milliseconds] of [[0, '007'], [0, '007'], [1, '008'], [0, '007']] as const) {
    time = TIME + ms;
    for (const [query, name] of [['', 'World'], ['name=Ada', 'Ada'], ['name=Grace', 'Grace'], ['', 'World']] as const) {
      assert.equal(bodyOf(query), `{"message":"Hello, ${name}!","generatedAt":"2026-11-20T10:15:30.${milliseconds}+00:00"}`);
    }
  }
});

test('a greeting is JSON for every character that a name can have', () => {
  time = TIME;
  for (const code of [...Array(0x10000).keys(), 0x1F44B, 0x10FFFF]) {
    if (code >= 0xD800 && code <= 0xDFFF) continue; // half of a surrogate pair, which no query can say
    const name = String.fromCodePoint(code);
    const message = `Hello, a${name}b!`;
    assert.equal(bodyOf(`name=a${encodeURIComponent(name)}b`), JSON.stringify({ message, generatedAt: '2026-11-20T10:15:30.007+00:00' }));
  }
});

test('each 400 has its own errors and its own trace id, also when another was made right before', () => {
  const empty = 'The name is empty: 1 to 80 characters are accepted.';
  const blank = 'The name is only white space: at least one other character is needed.';
  const long = (length: number) => `The name has ${length} characters: 1 to 80 are accepted.`;
  for (const [query, traceId, error] of [
    ['name=', '00-1-1-00', empty], ['name=', '00-2-2-01', empty], ['name=+', '00-3-3-00', blank],
    [`name=${'a'.repeat(81)}`, '00-4-4-00', long(81)], [`name=${'a'.repeat(82)}`, '00-5-5-00', long(82)], ['name=', '00-6-6-00', empty],
  ] as const) {
    assert.equal(bodyOf(query, traceId), '{"type":"https://tools.ietf.org/html/rfc9110#section-15.5.1",' +
      `"title":"One or more validation errors occurred.","status":400,"errors":{"name":["${error}"]},"traceId":"${traceId}"}`);
  }
});
