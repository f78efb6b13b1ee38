import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { BUDGET, createTurns } from '../../src/transport/turns.ts';

/** Turns with this budget. Their tasks note their names, which have one character; `after` has the notes of the next iteration. */
function start(budget: number) {
  const turns = createTurns(budget);
  let notes = '';
  const task = (name: string) => () => { notes += name; turns.spend(1); };
  const enqueue = (queue: string, names: string) => { for (const name of names) turns.enqueue(queue, task(name)); };
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
    for (const [queue, names] of [['x', '1234'], ['y', 'ABC'], ['z', 'ab'], ['w', '!?']] as const) enqueue(queue, names);
    for (const notes of expected) assert.equal(await after(), notes);
  }
});

test('a task that is enqueued twice is carried out once, and one that is cancelled is not, and takes no turn', async () => {
  const { turns, task, enqueue, after } = start(2);
  const one = task('-');
  for (const queue of ['x', 'x', 'y', 'z']) turns.enqueue(queue, one);
  enqueue('y', 'ab');
  for (const queue of ['y', 'z', 'z', 'w']) turns.cancel(queue, one);
  assert.deepEqual([await after(), await after(), turns.isFree()], ['-a', 'b', true]);
});

test('turns are free while nobody waits and the budget is not used up; spending alone schedules the run that forgets it', () => {
  const scheduled: (() => void)[] = [];
  const turns = createTurns(undefined, (run) => { scheduled.push(run); return {}; });
  assert.equal(BUDGET, 65_536);
  for (let runs = 1; runs <= 2; runs += 1) {
    turns.spend(BUDGET - 1);
    assert.equal(turns.isFree(), true);
    turns.spend(1);
    assert.deepEqual([turns.isFree(), scheduled.length], [false, runs]);
    scheduled.at(-1)?.();
    assert.deepEqual([turns.isFree(), scheduled.length], [true, runs]);
  }
  turns.enqueue('x', () => turns.spend(2 * BUDGET));
  assert.equal(turns.isFree(), false);
  scheduled.at(-1)?.();
  assert.deepEqual([turns.isFree(), scheduled.length], [true, 3], 'the next iteration has a budget of its own');
});
