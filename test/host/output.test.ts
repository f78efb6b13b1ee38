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

test('when nobody reads, lines beyond the limit are dropped, and their number is reported when the reader goes on', () => {
  const { stream, written, take } = slowStream();
  const reported: number[] = [];
  const output = createOutput(stream, (count) => reported.push(count));
  const line = `${'x'.repeat(1023)}\n`;
  for (let i = 0; i < 10_000; i++) output.write(line);
  assert.ok(stream.writableLength <= 4 * 1024 * 1024 + line.length, `${stream.writableLength} bytes wait`);
  while (stream.writableLength > 0) take();
  return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    assert.equal(reported.length, 1);
    assert.equal(written.length + (reported[0] ?? 0), 10_000);
    for (let i = 0; i < 100; i++) output.write(line); // more than the stream takes at once, and less than the limit
    while (stream.writableLength > 0) take();
    return new Promise<void>((resolve) => setImmediate(resolve));
  }).then(() => {
    assert.equal(written.length + (reported[0] ?? 0), 10_100);
    assert.equal(reported.length, 1, 'the number is reported once');
  });
});

test('a slow reader loses no line while fewer wait than the limit', async () => {
  const { stream, written, take } = slowStream();
  const output = createOutput(stream, neverDropped);
  const drained = new Promise((resolve) => stream.once('drain', resolve));
  for (let i = 0; i < 100; i++) output.write(`${'x'.repeat(1023)}\n`);
  while (stream.writableLength > 0) take();
  await drained;
  assert.equal(written.length, 100);
});

test('a flush waits until everything has been read', async () => {
  const { stream, written, take } = slowStream();
  const output = createOutput(stream, neverDropped);
  output.writeSoon('a\n');
  let isFlushed = false;
  const flushed = output.flush(60_000).then(() => { isFlushed = true; });
  await Promise.resolve();
  assert.equal(isFlushed, false);
  while (stream.writableLength > 0 || written.length < 2) { take(); await new Promise((resolve) => setImmediate(resolve)); }
  take();
  await flushed;
  assert.deepEqual(written, ['a\n', '']);
});

test('a flush resolves after its timeout', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { stream } = slowStream();
  const output = createOutput(stream, neverDropped);
  output.write('a\n');
  const flushed = output.flush(1000);
  t.mock.timers.tick(1000);
  await flushed;
});

test('after an error of the stream, writes and flushes do not fail', async () => {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
  const output = createOutput(stream, neverDropped);
  output.write('a\n');
  await output.flush(60_000);
  output.write('b\n');
  await output.flush(60_000);
});
