import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TIME_LIMITS } from '../../src/http/limits.ts';
import { CurrentState } from '../../src/server/states.ts';

test('the idle time goes on when no request has begun in *head*, whose time counts, too; it begins anew after a reply', () => {
  const limits = { ...TIME_LIMITS, idleMs: 20_000 }, state = new CurrentState();
  const isOverdueAfter = (ms: number) => { state.addTime(ms); return state.isOverdue(limits); };
  state.enter('idle');
  assert.equal(isOverdueAfter(16_000), false);
  state.enter('head');
  assert.equal(isOverdueAfter(4_000), false);
  state.enter('idle');
  assert.deepEqual([isOverdueAfter(999), isOverdueAfter(1)], [false, true]); // after one more sweep
  state.enter('replying');
  state.enter('idle');
  assert.equal(isOverdueAfter(16_000), false);
});
