// The greeting, its time, and the endpoint that puts them together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGreetingEndpoint, greet } from '../../src/api/greeting.ts';
import { contentReply } from '../../src/http/reply.ts';

test('a greeting has the name without the white space around it, of which alone none can be made, and its time', () => {
  for (const [time, text] of [[0, '1970-01-01T00:00:00.000'], [1709251199007, '2024-02-29T23:59:59.007']] as const) {
    const reply = createGreetingEndpoint(() => time)({ query: 'a=b&name=+%22A++B%22%09', traceparent: '' });
    const body = `{"message":"Hello, \\"A  B\\"!","generatedAt":"${text}+00:00"}`;
    assert.deepEqual(reply, contentReply(200, 'application/json; charset=utf-8', body));
  }
  const error = new RangeError('A name that is only white space cannot be greeted.');
  for (const name of ['', '\t\n\u3000']) assert.throws(() => greet(name), error);
});
