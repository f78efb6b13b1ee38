import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { BUDGET, Turns, type Kind } from '../../src/transport/turns.ts';

/** Turns with this budget. Their tasks note their names, which have one character; `after` has the notes of the next iteration. */
function start(budget: number) {
  const turns = new Turns(budget);
  let notes = '';
  const task = (name: string) => () => { notes += name; turns.spend(1); };
  const enqueue = (client: string, kind: Kind, names: string) => { for (const name of names) turns.enqueue(client, kind, task(name)); };
  const after = async () => {
    await iteration();
    const before = notes;
    notes = '';
    return before;
  };
  return { turns, task, enqueue, after };
}

test('in an iteration, queues take turns, each first come first served, up to the budget; one task is done in any case', async () => {
  for (const [budget, ...expected] of [[100, '1Aa!2Bb?3C4', ''], [4, '1Aa!', '2Bb?', '3C4', ''], [0, '1', 'A', 'a', '!', '2']] as const) {
    const { enqueue, after } = start(budget);
    enqueue('x', 'short', '1234');
    enqueue('x', 'long', 'ABC');
    enqueue('x', 'handshake', 'ab');
    enqueue('y', 'short', '!?');
    for (const notes of expected) assert.equal(await after(), notes);
  }
});

test('a task that is enqueued twice is carried out once, and one that is cancelled is not, and takes no turn', async () => {
  const { turns, task, enqueue, after } = start(2);
  const one = task('-');
  for (const client of ['x', 'x', 'y', 'z']) turns.enqueue(client, 'short', one);
  enqueue('y', 'short', 'ab');
  for (const [client, kind] of [['y', 'short'], ['z', 'short'], ['z', 'short'], ['x', 'long']] as const) turns.cancel(client, kind, one);
  assert.deepEqual([await after(), await after(), turns.isFree], ['-a', 'b', true]);
});

test('turns are free while nobody waits and the budget is not used up; spending alone schedules the run that forgets it', () => {
  const scheduled: (() => void)[] = [];
  const turns = new Turns(undefined, (run) => { scheduled.push(run); return {}; });
  assert.equal(BUDGET, 65_536);
  for (let runs = 1; runs <= 2; runs += 1) {
    turns.spend(BUDGET - 1);
    assert.equal(turns.isFree, true);
    turns.spend(1);
    assert.deepEqual([turns.isFree, scheduled.length], [false, runs]);
    scheduled.at(-1)?.();
    assert.deepEqual([turns.isFree, scheduled.length], [true, runs]);
  }
  turns.enqueue('x', 'short', () => turns.spend(2 * BUDGET));
  assert.equal(turns.isFree, false);
  scheduled.at(-1)?.();
  assert.deepEqual([turns.isFree, scheduled.length], [true, 3], 'the next iteration has a budget of its own');
});
