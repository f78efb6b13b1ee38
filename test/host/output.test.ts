import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { createOutput } from '../../src/host/output.ts';

/** A stream that records what is written to it, and that has read it only when `take` is called. */
function slowStream() {
  const written: string[] = [];
  const waiting: (() => void)[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      written.push(chunk);
      waiting.push(done);
    },
  });
  const take = () => waiting.splice(0).forEach((done) => done());
  return { stream, written, take };
}

function fastStream() {
  const written: string[] = [];
  const stream = new Writable({ decodeStrings: false, write: (chunk: string, _encoding, done) => { written.push(chunk); done(); } });
  return { stream, written };
}

const neverDropped = () => assert.fail('nothing was dropped');

test('a line is written at once', () => {
  const { stream, written } = fastStream();
  createOutput(stream, neverDropped).write('a\n');
  assert.deepEqual(written, ['a\n']);
});

test('lines that can wait are written together, 50 ms after the first of them', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { stream, written } = fastStream();
  const output = createOutput(stream, neverDropped);
  output.writeSoon('a\n');
  t.mock.timers.tick(40);
  output.writeSoon('b\n');
  assert.deepEqual(written, []);
  t.mock.timers.tick(9);
  assert.deepEqual(written, []);
  t.mock.timers.tick(1);
  assert.deepEqual(written, ['a\nb\n']);
  output.writeSoon('c\n');
  t.mock.timers.tick(50);
  assert.deepEqual(written, ['a\nb\n', 'c\n']);
});

test('a line that is written at once comes after the lines that wait', () => {
  const { stream, written } = fastStream();
  const output = createOutput(stream, neverDropped);
  output.writeSoon('a\n');
  output.write('b\n');
  assert.deepEqual(written, ['a\nb\n']);
});

test('a batch of more than 64 KiB is written at once', () => {
  const { stream, written } = fastStream();
  const output = createOutput(stream, neverDropped);
  for (let i = 0; i < 65; i++) output.writeSoon(`${'x'.repeat(1023)}\n`);
  assert.equal(written.length, 1);
  assert.equal(written[0]?.length, 65 * 1024);
});

const KIB = 1024;
const line = (size: number) => `${'x'.repeat(size - 1)}\n`;
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('when nobody reads, lines that can wait are dropped when more than 4 MiB wait, and the others when more than 8 MiB wait', () => {
  for (const [soon, then, count] of [[true, false, 33 + 32], [false, false, 65], [false, true, 65]] as const) {
    const { stream } = slowStream();
    const output = createOutput(stream, neverDropped);
    const write = (isSoon: boolean) => (isSoon ? output.writeSoon : output.write)(line(128 * KIB)); // longer than a batch
    for (let i = 0; i < 100; i++) write(soon);
    assert.equal(stream.writableLength, (soon ? 33 : 65) * 128 * KIB);
    for (let i = 0; i < 100; i++) write(then);
    assert.equal(stream.writableLength, count * 128 * KIB);
  }
});

test('when the reader goes on, the number of lines that were dropped since the last time is reported', async () => {
  const { stream, written, take } = slowStream();
  const reported: number[] = [];
  const output = createOutput(stream, (count) => reported.push(count));
  for (const dropped of [[3], [3, 2], [3, 2]]) {
    for (let i = 0; i < 65 + (dropped[reported.length] ?? 0); i++) output.write(line(128 * KIB));
    while (stream.writableLength > 0) take();
    await turn();
    assert.deepEqual(reported, dropped);
  }
  assert.equal(written.length, 3 * 65);
});

test('a slow reader loses no line while fewer wait than the limit', async () => {
  const { stream, written, take } = slowStream();
  const output = createOutput(stream, neverDropped);
  const drained = new Promise((resolve) => stream.once('drain', resolve));
  for (let i = 0; i < 100; i++) output.write(line(KIB));
  while (stream.writableLength > 0) take();
  await drained;
  assert.equal(written.length, 100);
});

test('the end waits until everything has been read, and no line is written after it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { stream, written, take } = slowStream();
  const output = createOutput(stream, neverDropped);
  output.writeSoon('a\n');
  let ends = 0;
  const ended = [output.end(1000), output.end(1000)].map((end) => end.then(() => { ends += 1; }));
  output.write('b\n');
  output.writeSoon('c\n');
  t.mock.timers.tick(999);
  await turn();
  assert.equal(ends, 0);
  while (stream.writableLength > 0) take();
  take();
  await Promise.all(ended);
  assert.deepEqual(written, ['a\n', '']);
});

test('the end comes after its time-out when nobody reads', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { stream } = slowStream();
  const output = createOutput(stream, neverDropped);
  output.write('a\n');
  const ended = output.end(1000);
  t.mock.timers.tick(1000);
  await ended;
});

test('the number of lines that were dropped is reported at the end, too, while a line can still be written', () => {
  const { stream } = slowStream();
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
