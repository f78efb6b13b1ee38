import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { AGING_TURNS, BUDGET, Turns, type Kind } from '../../src/server/turns.ts';
import { liveHeap } from '../support/usage.ts';

/** Turns with this budget for those who wait, whose tasks note their names and cost 1. `after` has the notes of the next iteration. */
function start(budget: number) {
  const turns = new Turns(4 * budget); // a quarter of it is for those who wait
  const notes: string[] = [];
  const task = (name: string) => () => { notes.push(name); turns.spend(1); };
  const after = async () => {
    await iteration();
    return notes.splice(0).join('');
  };
  return { turns, notes, task, after };
}

describe('in an iteration', { timeout: 20_000 }, () => {
  test('tasks are carried out until the budget is used up, first come first served, and each once however often it has asked', async () => {
    const { turns, task, after } = start(2);
    const tasks = ['a', 'b', 'c', 'd', 'e'].map(task);
    for (const kind of ['long', 'long', 'short'] as const) for (const one of tasks) turns.wait('x', one, kind);
    assert.deepEqual([await after(), await after(), await after(), await after()], ['ab', 'cd', 'e', '']);
  });

  test('clients take turns, whoever has come first and has more tasks', async () => {
    const { turns, task, after } = start(4);
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) turns.wait('x', task(name));
    for (const name of ['1', '2', '3']) turns.wait('y', task(name));
    turns.wait('z', task('!'));
    assert.deepEqual([await after(), await after(), await after()], ['a1!b', '2c3d', 'ef']);
  });

  test('one task is carried out, whatever it costs, and whatever has been spent before', async () => {
    const { turns, notes, after } = start(1);
    turns.spend(1_000_000);
    for (const name of ['a', 'b']) turns.wait('x', () => { notes.push(name); turns.spend(1_000_000); });
    assert.deepEqual([await after(), await after(), await after()], ['a', 'b', '']);
  });
});

test('every other turn is for a client that has had the fewest turns lately, and the others are for all', { timeout: 60_000 }, async () => {
  const { turns, notes, after } = start(120);
  const ask = (name: string, count: number, kind?: Kind) => turns.wait(name, function again() {
    notes.push(name);
    turns.spend(1);
    if ((count -= 1) > 0) turns.wait(name, again, kind);
  });
  for (const name of ['a', 'b']) ask(name, 2 * AGING_TURNS);
  ask('', 1); // it is forgotten later
  assert.match(await after(), /^(?:ab|ba)+[ab]?$/);
  ask('Y', 40);
  assert.match(await after(), /^Y(?:[ab]Y){30}(?:baY){9}[ab]+$/, 'as many as the others from the 31st on');
  ask('V', 30);
  await after();
  for (let count = 3 * 120; count < AGING_TURNS; count += 120) await after();
  ask('V', 1);
  await after();
  for (const [name, count] of [['Y', 30], ['V', 1]] as const) ask(name, count);
  assert.match(await after(), /^V(?:[ab]Y){11}(?:baY){19}[ab]+$/, 'half of the turns that they have had count: V has 16, and Y 20');
  ask('P', 10);
  await after();
  turns.wait('P', assert.fail);
  turns.cancel('P', assert.fail);
  ask('P', 20);
  ask('Q', 5);
  assert.match(await after(), /^(?:[abP]?Q){5}/, 'fewer than P, which has had some');
  for (const [names, expected] of [[['R'], /R/], [['R', 'S'], /S.*R/]] as const) { // R has had a turn, and S none
    for (const name of names) ask(name, 1);
    assert.match(await after(), expected);
  }
  ask('Z', 40, 'continued');
  assert.match(await after(), /^(?:[ab]?Z){40}[ab]+$/, 'what continues a request does not count before its end');
  ask('Z', 8);
  assert.match(await after(), /^[ab]{0,2}(?:Zab|Zba){8}[ab]+$/, 'but then it does');
});

test('what is taken back is not carried out, and takes no turn', { timeout: 20_000 }, async () => {
  const { turns, task, after } = start(3);
  const [a, b, c, d] = [task('a'), task('b'), task('c'), task('d')];
  for (const [name, one, kind] of [['x', a], ['x', b, 'short'], ['x', c], ['y', d]] as const) turns.wait(name, one, kind);
  for (const [name, one] of [['x', a], ['x', b], ['y', d], ['y', a], ['z', a]] as const) turns.cancel(name, one);
  assert.equal(await after(), 'c');
  for (const [name, one] of [['x', a], ['x', b], ['y', d]] as const) turns.wait(name, one);
  for (const one of [a, b]) turns.cancel('x', one);
  assert.deepEqual([turns.isFree, await after(), turns.isFree], [false, 'd', true]);
});

for (const isCancelled of [true, false]) {
  test(`a client that waits for nothing is forgotten: ${isCancelled ? 'at once, if it has had no turn' : 'after a while'}`, async () => {
    const { turns, task, after } = start(3 * AGING_TURNS);
    const before = liveHeap();
    for (let i = 0; i < 2 * AGING_TURNS; i += 1) {
      const name = `${i}${'x'.repeat(1_000)}`, one = task('');
      turns.wait(name, one);
      if (isCancelled) turns.cancel(name, one);
    }
    await after();
    const bytes = liveHeap() - before;
    assert.ok(turns.isFree && bytes < 5_000_000, `${bytes} bytes are left of more than 16 MB`);
  });
}

test('the kinds of tasks of a client take turns, each first come first served', { timeout: 20_000 }, async () => {
  const { turns, task, after } = start(100);
  for (const name of ['1', '2', '3', '4']) turns.wait('x', task(name), 'continued');
  for (const name of ['A', 'B', 'C']) turns.wait('x', task(name));
  for (const name of ['a', 'b']) turns.wait('x', task(name), 'short');
  for (const name of ['!', '?']) turns.wait('y', task(name));
  assert.equal(await after(), '1!A?a2Bb3C4');
});

test('turns are free while nobody waits and its budget is not used up: 64 KiB by default', { timeout: 20_000 }, async () => {
  assert.deepEqual([BUDGET, AGING_TURNS], [65_536, 8_192]);
  const turns = new Turns();
  for (let count = 0; count < 2; count += 1) {
    turns.spend(BUDGET - 1);
    assert.equal(turns.isFree, true);
    turns.spend(1);
    assert.equal(turns.isFree, false);
    await iteration();
    assert.equal(turns.isFree, true);
  }
  turns.wait('x', () => turns.spend(2 * BUDGET));
  assert.equal(turns.isFree, false);
  await iteration();
  assert.equal(turns.isFree, true, 'the next iteration has a budget of its own');
});
