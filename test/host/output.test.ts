import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { createOutput } from '../../src/host/output.ts';

/** A stream that records what is written to it, and that has read it only when `take` is called, or at once. */
function recorder(isFast = false) {
  const written: string[] = [];
  const waiting: (() => void)[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      written.push(chunk);
      if (isFast) done();
      else waiting.push(done);
    },
  });
  const takeAll = () => { while (waiting.length > 0) waiting.splice(0).forEach((done) => done()); };
  return { stream, written, takeAll };
}

const neverDropped = () => assert.fail('nothing was dropped');

test('a line is written at once, after the lines that wait; those are written together, 50 ms after the first of them', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { stream, written } = recorder(true);
  const output = createOutput(stream, neverDropped);
  output.write('a\n');
  output.writeSoon('b\n');
  output.write('c\n');
  assert.deepEqual(written.splice(0), ['a\n', 'b\nc\n']);
  for (const line of ['d\n', 'f\n']) {
    output.writeSoon(line);
    t.mock.timers.tick(40);
    output.writeSoon('e\n');
    t.mock.timers.tick(9);
    assert.deepEqual(written, []);
    t.mock.timers.tick(1);
    assert.deepEqual(written.splice(0), [`${line}e\n`]);
  }
});

test('a batch of more than 64 KiB is written at once', () => {
  const { stream, written } = recorder(true);
  const output = createOutput(stream, neverDropped);
  for (let i = 0; i < 64; i++) output.writeSoon(line(KIB));
  assert.deepEqual(written, []);
  output.writeSoon('\n');
  assert.deepEqual(written.map(({ length }) => length), [64 * KIB + 1]);
});

const KIB = 1024;
const line = (size: number) => `${'x'.repeat(size - 1)}\n`;
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('when nobody reads, lines that can wait are dropped when more than 4 MiB wait, and the others when more than 8 MiB wait', () => {
  for (const [soon, then, count] of [[true, false, 32 + 32], [false, false, 64], [false, true, 64]] as const) {
    for (const start of [0, 1]) { // a byte more than the limit, or no byte
      const { stream } = recorder();
      const output = createOutput(stream, neverDropped);
      const write = (isSoon: boolean) => (isSoon ? output.writeSoon : output.write)(line(128 * KIB)); // longer than a batch
      output.write('\n'.repeat(start));
      for (let i = 0; i < 100; i++) write(soon);
      const atLimit = start === 0 ? 1 : 0; // one line more is taken when no more than the limit waits
      assert.equal(stream.writableLength, start + ((soon ? 32 : 64) + atLimit) * 128 * KIB);
      for (let i = 0; i < 100; i++) write(then);
      assert.equal(stream.writableLength, start + (count + atLimit) * 128 * KIB);
    }
  }
});

test('when the reader goes on, the number of lines that were dropped since the last time is reported', async () => {
  const { stream, written, takeAll } = recorder();
  const reported: number[] = [];
  const output = createOutput(stream, (count) => reported.push(count));
  for (const dropped of [[3], [3, 2], [3, 2]]) {
    for (let i = 0; i < 65 + (dropped[reported.length] ?? 0); i++) output.write(line(128 * KIB));
    takeAll();
    await turn();
    assert.deepEqual(reported, dropped);
  }
  assert.equal(written.length, 3 * 65);
});

test('the end waits until everything has been read, and no line is written after it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { stream, written, takeAll } = recorder();
  const output = createOutput(stream, neverDropped);
  output.writeSoon('a\n');
  let ends = 0;
  const ended = [output.end(1000), output.end(1000)].map((end) => end.then(() => { ends += 1; }));
  output.write('b\n');
  output.writeSoon('c\n');
  t.mock.timers.tick(999);
  await turn();
  assert.equal(ends, 0);
  takeAll();
  await Promise.all(ended);
  assert.deepEqual(written, ['a\n', '']);
});

test('the end comes after its time-out when nobody reads', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { stream } = recorder();
  const output = createOutput(stream, neverDropped);
  output.write('a\n');
  const ended = output.end(1000);
  t.mock.timers.tick(1000);
  await ended;
});

test('the number of lines that were dropped is reported at the end, too, while a line can still be written', () => {
  const { stream } = recorder();
  const output = createOutput(stream, (count) => output.write(`${count} dropped\n`));
  for (let i = 0; i < 100; i++) output.writeSoon(line(128 * KIB));
  void output.end(0);
  assert.equal(stream.writableLength, 33 * 128 * KIB + '67 dropped\n'.length);
});

test('after an error of the stream, lines are ignored and the end comes at once', async () => {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
  const output = createOutput(stream, neverDropped);
  output.write('a\n');
  await turn();
  output.write('b\n');
  await output.end(60_000);
});
