import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { createOutput } from '../../src/host/output.ts';
import { until } from '../support/sockets.ts';

const LIMIT = 4_096; // lines

/** An output to a stream that takes nothing until `read` is called, and then each write when it comes. */
function setUp() {
  const stream = new PassThrough({ objectMode: true, highWaterMark: 1 });
  const written: string[] = [];
  const read = () => stream.on('data', (line: string) => written.push(line));
  const readOne = () => written.push(stream.read());
  return { ...createOutput(stream), stream, written, read, readOne };
}

test('each line is a write of its own; what comes when 4,096 wait is dropped, and counted', async () => {
  const { write, written, read } = setUp();
  read();
  for (const drops of [3, 0, 1]) {
    for (let lines = 0; lines < LIMIT + drops; lines += 1) write('x\n');
    await until(() => written.length >= LIMIT + Math.min(drops, 1));
    const lines = written.splice(0);
    assert.deepEqual(new Set(lines.splice(0, LIMIT)), new Set(['x\n']));
    const reports = lines.map((line) => JSON.parse(line)).map(({ level, message, count }) => [level, message, count]);
    const message = 'Log lines were dropped: stdout was read too slowly.';
    assert.deepEqual(reports, drops === 0 ? [] : [['warn', message, drops]]);
  }
});

test('drops are told when all lines have been taken, so that a slow reader gets lines and no counts', async () => {
  const { write, written, read, readOne } = setUp();
  for (let lines = 0; lines < LIMIT + 3; lines += 1) write('x\n');
  await iteration();
  for (const line of ['y\n', 'z\n']) {
    readOne();
    await iteration();
    write(line);
  }
  read();
  await until(() => written.length > LIMIT + 2);
  assert.deepEqual(written.slice(LIMIT, -1), ['y\n', 'z\n']);
  assert.match(String(written.at(-1)), /"count":3}/);
});

test('the end waits until all lines and the number of drops have been taken, or for a second', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const isRead of [true, false]) {
    const { write, end, written, read } = setUp();
    for (let lines = 0; lines < LIMIT + 1; lines += 1) write('x\n');
    let hasEnded = false;
    const ended = end().then(() => { hasEnded = true; });
    t.mock.timers.tick(999);
    await iteration();
    assert.equal(hasEnded, false);
    if (isRead) read();
    else t.mock.timers.tick(1);
    await ended;
    assert.match(String(written.at(-1)), isRead ? /"count":1}/ : /^undefined$/);
  }
});

test('after an error of the stream, such as EPIPE, lines are ignored and the end comes at once', async () => {
  const { write, end, stream } = setUp();
  stream.destroy(new Error('EPIPE'));
  await iteration();
  write('b\n');
  await end();
});
