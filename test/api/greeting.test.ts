import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGreetingEndpoint } from '../../src/api/greeting-endpoint.ts';
import { DEFAULT_PARAMETERS } from '../../src/api/greeting-query.ts';
import { greet } from '../../src/api/greeting.ts';

test('a greeting has the trimmed name, and a name of white space only cannot be greeted', () => {
  const greetName = (name: string) => greet({ ...DEFAULT_PARAMETERS, name });
  assert.equal(greetName(' \tAda Lovelace\u00a0'), 'Hello, Ada Lovelace!');
  for (const name of ['', '\t\n\u3000']) {
    assert.throws(() => greetName(name), new RangeError('A name that is only white space cannot be greeted.'));
  }
});

test('a greeting has its own name and its own time, in UTC with milliseconds, and a 400 its own trace id', () => {
  const endpoint = createGreetingEndpoint(() => Date.UTC(2026, 10, 20, 10, 15, 30, 7));
  const bodyOf = (query: string, own = '') => endpoint({ query, parent: undefined, own }).body;
  for (const [query, name] of [['', 'World'], ['name=Ada', 'Ada'], ['name=%22', '\\"']] as const) {
    assert.equal(bodyOf(query), `{"message":"Hello, ${name}!","generatedAt":"2026-11-20T10:15:30.007+00:00"}`);
  }
  for (const traceId of ['00-1-1-00', '00-2-2-01']) assert.ok(bodyOf('name=', traceId).endsWith(`,"traceId":"${traceId}"}`));
});
