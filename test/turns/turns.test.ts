// Whose turn it is, with a clock and a schedule that the test holds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTurns, type Queue } from '../../src/turns/turns.ts';

function start(turnMs: number) {
  const clock = { ms: 7 };
  const scheduled: (() => void)[] = [];
  let notes = '';
  const turns = createTurns(() => clock.ms + notes.length * turnMs, (run) => scheduled.push(run));
  const wait = (queue: Queue, names: string) => {
    for (const name of names) turns.wait(queue, () => { notes += name; });
  };
  const next = () => {
    assert.ok(scheduled.length <= 1);
    notes = '';
    scheduled.pop()?.();
    return notes;
  };
  return { clock, turns, scheduled, wait, next };
}

test('queues take turns, first come first served, for 1 ms in each iteration, and one after `endAfterOne`', () => {
  for (const [turnMs, isOneEnough, ...expected] of [
    [0, false, '1Aa!2Bb?3C4', ''], [0, true, '1', 'Aa!2Bb?3C4', ''], [0.25, false, '1Aa!', '2Bb?', '3C4', ''],
    [1, false, '1', 'A', 'a', '!', '2', 'B', 'b', '?', '3', 'C', '4', ''],
  ] as const) {
    const { turns, wait, next } = start(turnMs);
    for (const names of ['1234', 'ABC', 'ab', '!?']) wait(new Map(), names);
    if (isOneEnough) turns.endAfterOne();
    for (const notes of expected) assert.equal(next(), notes);
  }
});

test('while connections are accepted, nothing goes ahead, and one turn is taken in 3 ms', () => {
  const { clock, turns, wait, next } = start(0);
  wait(new Map(), 'abc');
  for (const [afterMs, notes] of [[3, 'a'], [2.5, ''], [0.5, 'b']] as const) {
    clock.ms += afterMs;
    turns.accepted();
    assert.deepEqual([turns.admitAhead(), next()], [false, notes]);
  }
  assert.deepEqual([next(), turns.admitAhead()], ['c', true]);
  turns.accepted();
  assert.equal(turns.admitAhead(), false);
});

test('a queue whose last has left costs no turn', () => {
  const { turns, wait, next, scheduled } = start(1);
  const [left, other]: [Queue, Queue] = [new Map(), new Map()];
  const gone = () => assert.fail('It has gone.');
  for (let i = 0; i < 2; i += 1) turns.wait(left, gone);
  left.delete(gone);
  wait(other, 'ab');
  assert.equal(next(), 'a');
  turns.wait(left, () => wait(left, 'x'));
  assert.deepEqual([next(), next(), next(), next(), scheduled.length], ['b', 'x', '', '', 0]);
});

test('the longest wait for a turn is told once', () => {
  const { clock, turns, wait, next } = start(0.5);
  wait(new Map(), 'ab');
  clock.ms += 2;
  next();
  wait(new Map(), 'c');
  assert.deepEqual([next(), turns.longestWait(), turns.longestWait()], ['c', 2.5, 0]);
});

test('whatever a turn throws, the next ones come', () => {
  const { turns, wait, next, scheduled } = start(0);
  const failing: Queue = new Map();
  turns.wait(failing, () => { throw new Error('It failed.'); });
  wait(new Map(), 'a');
  assert.throws(next, { message: 'It failed.' });
  assert.deepEqual([scheduled.length, next()], [1, 'a']);
});

test('something may go ahead for 1 ms in each iteration, while nobody waits', () => {
  const { clock, turns, wait, next } = start(0);
  for (let i = 0; i < 2; i += 1) {
    assert.equal(turns.admitAhead(), true);
    clock.ms += 0.9;
    assert.equal(turns.admitAhead(), true);
    clock.ms += 0.1;
    assert.deepEqual([turns.admitAhead(), next()], [false, '']);
  }
  wait(new Map(), 'a');
  assert.deepEqual([turns.admitAhead(), next(), turns.admitAhead()], [false, 'a', true]);
});
