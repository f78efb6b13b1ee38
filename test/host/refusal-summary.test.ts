import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summarizeRefusals } from '../../src/host/refusal-summary.ts';

test('refusals are told of in one line a minute, by status, and only when there were any', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const logged: unknown[] = [];
  const report = summarizeRefusals((...line) => logged.push(line));
  t.mock.timers.tick(600_000);
  assert.deepEqual(logged, []);
  for (const status of [400, 431, 400]) report(status);
  t.mock.timers.tick(59_999);
  report(400);
  assert.deepEqual(logged, []);
  t.mock.timers.tick(1);
  const message = 'Illegal requests were refused in the last minute.';
  assert.deepEqual(logged, [['warn', message, { byStatus: { 400: 3, 431: 1 } }]]);
  t.mock.timers.tick(600_000);
  assert.equal(logged.length, 1);
  report(505);
  t.mock.timers.tick(60_000);
  assert.deepEqual(logged[1], ['warn', message, { byStatus: { 505: 1 } }]);
});
