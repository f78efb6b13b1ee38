import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { createOutput } from '../../src/host/output.ts';

const KIB = 1024;
const line = (size: number) => `${'x'.repeat(size - 1)}\n`;
const iteration = () => new Promise((resolve) => setImmediate(resolve));

/** An output to a stream that records what is written to it. It takes each chunk at once, or when `takeAll` is called. */
function setUp(t: TestContext, isFast = false, dropped: (count: number) => void = () => assert.fail('nothing was dropped')) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
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
  return { output: createOutput(stream, dropped), stream, written, takeAll };
}

test('a line is written at once, after the lines that wait; those are written together, 50 ms after the first of them', (t) => {
  const { output, written } = setUp(t, true);
  output.write('a\n');
  output.writeSoon('b\n');
  output.write('c\n');
  assert.deepEqual(written.splice(0), ['a\n', 'b\nc\n']);
  for (const first of ['d\n', 'f\n']) {
    output.writeSoon(first);
    t.mock.timers.tick(40);
    output.writeSoon('e\n');
    t.mock.timers.tick(9);
    assert.deepEqual(written, []);
    t.mock.timers.tick(1);
    assert.deepEqual(written.splice(0), [`${first}e\n`]);
  }
  for (const text of [line(64 * KIB), '\n']) output.writeSoon(text);
  assert.deepEqual(written.map(({ length }) => length), [64 * KIB + 1], 'a batch of more than 64 KiB is written at once');
});

test('lines that can wait are dropped when more than 4 MiB wait, the others when more than 8 MiB wait', (t) => {
  for (const start of [0, 1]) { // no byte, or a byte more than a limit
    const { output, stream } = setUp(t);
    output.write('\n'.repeat(start));
    for (const [write, lines] of [[output.writeSoon, 32], [output.write, 64], [output.writeSoon, 64]] as const) {
      for (let i = 0; i < 100; i++) write(line(128 * KIB)); // longer than a batch
      assert.equal(stream.writableLength, start + (lines + 1 - start) * 128 * KIB); // at the limit one line more is taken
    }
    t.mock.timers.reset();
  }
});

test('when the reader goes on, the number of lines that were dropped since the last time is reported', async (t) => {
  const reported: number[] = [];
  const { output, written, takeAll } = setUp(t, false, (count) => reported.push(count));
  for (const drops of [3, 1, 0]) {
    for (let i = 0; i < 65 + drops; i++) output.write(line(128 * KIB));
    takeAll();
    await iteration();
  }
  assert.deepEqual([reported, written.length], [[3, 1], 3 * 65]);
});

test('the end waits until everything has been read, or for a second; no line is written after it', async (t) => {
  for (const isRead of [true, false]) {
    const { output, written, takeAll } = setUp(t);
    output.writeSoon('a\n');
    let ends = 0;
    const ended = [output.end(), output.end()].map((end) => end.then(() => { ends += 1; }));
    output.write('b\n');
    output.writeSoon('c\n');
    t.mock.timers.tick(999);
    await iteration();
    assert.equal(ends, 0);
    if (isRead) takeAll();
    else t.mock.timers.tick(1);
    await Promise.all(ended);
    assert.deepEqual(written, isRead ? ['a\n', ''] : ['a\n']);
    t.mock.timers.reset();
  }
});

test('after an error of the stream, such as EPIPE, lines are ignored and the end comes at once', async (t) => {
  const { output, stream } = setUp(t);
  stream.destroy(new Error('EPIPE'));
  await iteration();
  output.write('b\n');
  await output.end();
});
