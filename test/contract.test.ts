// The specification and the decisions, row by row, against the service in this process over real sockets; and what
// of them only this process can see.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decisions } from './contract/decisions.ts';
import { STILL_CLOCK } from './contract/exact.ts';
import { walkInProcess } from './contract/in-process.ts';
import { specification } from './contract/specification.ts';
import { startService } from './support/service.ts';
import { request } from './support/wire.ts';

for (const environment of ['production', 'development'] as const) {
  test(`the specification, in ${environment}`, (t) => walkInProcess(t, specification, environment));
  test(`the decisions, in ${environment}`, (t) => walkInProcess(t, decisions, environment));
}

test('an exception is reported with the trace id of its request, and the service goes on', async (t) => {
  const failure = new Error('the clock stopped');
  const { port, reported } = await startService(t, { now: () => { throw failure; } });
  const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  assert.equal((await request(port, 'GET', '/api/greetings?name=Ada', [`traceparent: ${parent}`])).status, 500);
  assert.equal(reported.length, 1);
  assert.equal(reported[0]?.error, failure);
  assert.match(reported[0]?.traceId ?? '', /^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/);
  assert.equal((await request(port, 'GET', '/health')).status, 200);
});

test('a thrown value that is no Error is handled alike', async (t) => {
  const { port, reported } = await startService(t, { now: () => { throw undefined; } });
  assert.equal((await request(port, 'GET', '/api/greetings')).status, 500);
  assert.equal(reported[0]?.error, undefined);
});

test('a refused name asks no clock and is no error', async (t) => {
  const { port, reported } = await startService(t, { now: () => assert.fail('the clock was read') });
  assert.equal((await request(port, 'GET', '/api/greetings?name=')).status, 400);
  assert.deepEqual(reported, []);
});

test('generatedAt is the clock at the time of the request, in milliseconds, as UTC', async (t) => {
  let now = STILL_CLOCK;
  const { port } = await startService(t, { now: () => now });
  for (const [time, text] of [[STILL_CLOCK, '2026-11-20T10:15:30.123+00:00'], [0, '1970-01-01T00:00:00.000+00:00'], [STILL_CLOCK, '2026-11-20T10:15:30.123+00:00']] as const) {
    now = time;
    const { body } = await request(port, 'GET', '/api/greetings');
    assert.equal(body, JSON.stringify({ message: 'Hello, World!', generatedAt: text }));
  }
});
