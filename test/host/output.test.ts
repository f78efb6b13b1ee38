import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { createOutput } from '../../src/host/output.ts';
import { until } from '../support/sockets.ts';

const LIMIT = 4_096; // lines

/** An output whose reader takes one line in each iteration, or none at all; and what has been written. */
function setUp(isRead = true) {
  const written: string[] = [];
  function write(line: string, _encoding: string, taken: () => void): void {
    written.push(line);
    if (isRead) setImmediate(taken);
  }
  const stream = new Writable({ decodeStrings: false, write });
  return { ...createOutput(stream), stream, written };
}

test('each line is a write; what comes when 4,096 wait is dropped, and counted when all others are taken', async () => {
  const { write, written } = setUp();
  for (const drops of [3, 0, 1]) {
    for (let lines = 0; lines < LIMIT + drops; lines += 1) write('x\n');
    await until(() => written.length === 2);
    write('y\n'); // a slow reader gets lines, and no counts
    await until(() => written.length > LIMIT + Math.min(drops, 1));
    await iteration();
    const lines = written.splice(0).map((line) => line.replace(/"time":"[^"]+",/, ''));
    const count = `{"level":"warn","message":"Log lines were dropped: stdout was read too slowly.","count":${drops}}\n`;
    assert.deepEqual(lines, [...Array.from({ length: LIMIT }, () => 'x\n'), 'y\n', ...(drops > 0 ? [count] : [])]);
  }
});

test('the end waits until all lines and the number of drops are taken, or for a second, or for an error', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { write, end, written } = setUp();
  for (let lines = 0; lines < LIMIT + 1; lines += 1) write('x\n');
  await end();
  assert.match(String(written[LIMIT]), /"count":1}/);

  const slow = setUp(false);
  slow.write('x\n');
  let hasEnded = false;
  const ended = slow.end().then(() => { hasEnded = true; });
  t.mock.timers.tick(999);
  await iteration();
  assert.equal(hasEnded, false);
  t.mock.timers.tick(1);
  await ended;

  const closed = setUp();
  closed.stream.destroy(new Error('EPIPE'));
  await iteration();
  closed.write('x\n');
  await closed.end();
});
