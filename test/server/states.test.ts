// The table of states: that it says what happens is in test/tools/simulation/transitions.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { LIMITS } from '../../src/server/states.ts';
import { startServer } from '../support/server.ts';
import { closed } from '../support/sockets.ts';

test('the limits', () => {
  const times = { headMs: 10_000, requestMs: 15_000, unreadMs: 15_000, lingerMs: 1_000, discardMs: 1, silentMs: 250, sweepMs: 1_000 };
  assert.deepEqual(LIMITS, times);
});

test('a change of state that is not in the table is reported, and ends the connection alone', { timeout: 60_000 }, async (t) => {
  const { openInMemory, failures } = await startServer(t);
  const accepted = openInMemory();
  await iteration();
  accepted.emit('finish'); // as if our side had ended
  await closed(accepted);
  assert.deepEqual(failures, [new Error('A connection cannot go from idle to lingering.')]);
});
