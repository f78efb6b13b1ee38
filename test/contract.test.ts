// Tests each row of the specification and of the decisions against the service in this process, over real sockets.
// The tests below them check what cannot be seen in a reply.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decisions } from './tools/contract/decisions.ts';
import { STILL_CLOCK } from './tools/contract/exact.ts';
import { walkInProcess } from './tools/contract/in-process.ts';
import { specification } from './tools/contract/specification.ts';
import { startService } from './support/service.ts';
import { request } from './support/wire.ts';

for (const environment of ['production', 'development'] as const) {
  test(`the specification, in ${environment}`, (t) => walkInProcess(t, specification, environment));
  test(`the decisions, in ${environment}`, (t) => walkInProcess(t, decisions, environment));
}

test('an error in a handler is reported with the trace id of its request, and the next request is answered', async (t) => {
  const failure = new Error('the clock stopped');
  const { port, reported } = await startService(t, { now: () => { throw failure; } });
  const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  assert.equal((await request(port, 'GET', '/api/greetings?name=Ada', [`traceparent: ${parent}`])).status, 500);
  assert.equal(reported.length, 1);
  assert.equal(reported[0]?.error, failure);
  assert.match(reported[0]?.traceId ?? '', /^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/);
  assert.equal((await request(port, 'GET', '/health')).status, 200);
});

test('a thrown value that is not an Error is answered with 500 and reported, too', async (t) => {
  const { port, reported } = await startService(t, { now: () => { throw undefined; } });
  assert.equal((await request(port, 'GET', '/api/greetings')).status, 500);
  assert.equal(reported[0]?.error, undefined);
});

test('for a name that is refused the clock is not read, and no error is reported', async (t) => {
  const { port, reported } = await startService(t, { now: () => assert.fail('the clock was read') });
  assert.equal((await request(port, 'GET', '/api/greetings?name=')).status, 400);
  assert.deepEqual(reported, []);
});

test('generatedAt is the time of the clock when the request is answered, in UTC, with milliseconds', async (t) => {
  let now = STILL_CLOCK;
  const { port } = await startService(t, { now: () => now });
  for (const [time, text] of [[STILL_CLOCK, '2026-11-20T10:15:30.123+00:00'], [0, '1970-01-01T00:00:00.000+00:00'], [STILL_CLOCK, '2026-11-20T10:15:30.123+00:00']] as const) {
    now = time;
    const { body } = await request(port, 'GET', '/api/greetings');
    assert.equal(body, JSON.stringify({ message: 'Hello, World!', generatedAt: text }));
  }
});
