// How what arrives is passed on, on a stream without a kernel. The simulation covers the rest.
import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { createIntake } from '../../src/transport/intake.ts';
import { BUDGET, createTurns } from '../../src/transport/turns.ts';
import { closed, iterations, until } from '../support/sockets.ts';

/** An intake whose consumer takes at most `most` bytes of a piece. Turns are taken when `run` is called. */
function start(t: TestContext, { most = Infinity, hasHadTurn = false, isBusy = false } = {}) {
  let run = () => {}, accepts = true, asked = 0;
  const turns = createTurns(BUDGET, (next) => { run = next; return {}; });
  const { mock } = t.mock.method(turns, 'enqueue');
  const stream = new Duplex({ readableHighWaterMark: 0, read: () => { asked += 1; }, write: (_bytes, _encoding, done) => done() });
  const pieces: number[] = [];
  let text = '', ends = 0;
  const intake = createIntake(stream, '', turns, {
    accepts: () => accepts,
    consume: (bytes) => {
      const length = Math.min(bytes.length, most);
      pieces.push(length);
      text += bytes.toString('latin1', 0, length);
      return length;
    },
    ended: () => { ends += 1; },
  }, () => false, hasHadTurn);
  if (isBusy) turns.spend(BUDGET);
  /** Resolves when all has happened that follows, until the next turns. */
  const arrives = async (bytes: string) => {
    stream.push(Buffer.from(bytes));
    await iterations();
  };
  return {
    ...intake, stream, turns, pieces, arrives, run: () => run(), asked: () => asked, text: () => text, ends: () => ends,
    accept: (value: boolean) => { accepts = value; }, kinds: () => mock.calls.map(({ arguments: [queue] }) => queue.split(' ').pop()),
  };
}

for (const [what, options, length, kinds, pieces] of [
  ['2 KiB go ahead while nobody waits', {}, 2_048, [], [2_048]],
  ['2 KiB wait while the budget is used up', { isBusy: true }, 2_048, ['short'], [2_048]],
  ['more waits in any case', {}, 2_049, ['long'], [2_049]],
  ['of what has had its turn, one request goes ahead', { isBusy: true, hasHadTurn: true, most: 1_500 }, 3_000, ['short'], [1_500, 1_500]],
  ['at most 16 KiB are a piece, and each waits for its turn', { isBusy: true }, 36_000, ['long', 'long', 'long'], [16_384, 16_384, 3_232]],
] as const) {
  test(what, { timeout: 20_000 }, async (t) => {
    const intake = start(t, options);
    await intake.arrives('x'.repeat(length));
    for (let runs = 0; intake.isHolding(); runs += 1) {
      assert.ok(runs < 9);
      intake.run();
    }
    assert.deepEqual([intake.kinds(), intake.pieces, intake.stream.isPaused()], [kinds, pieces, false]);
  });
}

test('nothing is consumed, enqueued or asked for while nothing is accepted; then it is, and the end comes last', async (t) => {
  const intake = start(t);
  intake.accept(false);
  await intake.arrives('abc');
  const asked = intake.asked();
  for (const bytes of ['def', null]) intake.stream.push(bytes);
  intake.proceed();
  assert.deepEqual([intake.pieces, intake.kinds(), intake.stream.isPaused(), intake.asked()], [[], [], true, asked]);
  intake.accept(true);
  intake.proceed();
  await until(() => intake.ends() > 0);
  assert.equal(intake.text(), 'abcdef');
});

test('`read` may return null, or one buffer only', async (t) => {
  const intake = start(t);
  await intake.arrives('a'.repeat(3_000));
  intake.stream.push('b'.repeat(3_000));
  const read = intake.stream.read.bind(intake.stream);
  let reads = 0;
  t.mock.method(intake.stream, 'read', () => ((reads += 1) === 1 ? null : read(3_000)));
  while (intake.isHolding()) intake.run();
  assert.deepEqual([intake.pieces, intake.text()], [[0, 3_000, 3_000], 'a'.repeat(3_000) + 'b'.repeat(3_000)]);
});

test('it has stalled when it waits, and nothing has been consumed since the previous question', async (t) => {
  const intake = start(t, { most: 5_000 });
  assert.equal(intake.hasStalled(), false);
  await intake.arrives('x'.repeat(30_000));
  assert.deepEqual([intake.hasStalled(), intake.hasStalled()], [true, true]);
  intake.turns.spend(BUDGET); // so that one task is done in a run
  intake.run();
  assert.deepEqual([intake.hasStalled(), intake.hasStalled()], [false, true]);
});

test('a turn that waits is given up when the piece is consumed otherwise', async (t) => {
  const { arrives, stream, hasStalled, pieces } = start(t, { isBusy: true, hasHadTurn: true, most: 1_000 });
  await arrives('x'.repeat(2_000));
  stream.resume();
  await iterations();
  assert.deepEqual([pieces, hasStalled(), hasStalled()], [[1_000, 1_000], false, false]);
});

test('what waits, for a turn or to be discarded, is not kept when the stream closes', async (t) => {
  for (const isDiscarding of [false, true]) {
    const intake = start(t);
    const own = createTurns(1, () => ({}));
    await intake.arrives('x'.repeat(3_000));
    assert.equal(intake.turns.isFree(), false);
    if (isDiscarding) intake.discard(own);
    assert.deepEqual([intake.turns.isFree(), own.isFree()], [isDiscarding, !isDiscarding]);
    intake.stream.destroy();
    await closed(intake.stream);
    assert.deepEqual([intake.turns.isFree(), own.isFree()], [true, true]);
  }
});

test('in a turn of discarding, a whole read goes, and what follows it waits', async (t) => {
  const intake = start(t);
  let run = () => {};
  const own = createTurns(1, (next) => { run = next; return {}; });
  intake.accept(false);
  intake.discard(own);
  for (let reads = 0; reads < 3; reads += 1) {
    await intake.arrives('x'.repeat(60_000));
    assert.equal(intake.isHolding(), true);
    run();
    assert.equal(intake.isHolding(), false);
  }
  await intake.arrives('x'); // the turn before has used up the budget
  run();
  await intake.arrives('x'); // and now it is free
  assert.deepEqual([intake.isHolding(), intake.pieces], [false, []]);
});
