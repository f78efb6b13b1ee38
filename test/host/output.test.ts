import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { createOutput } from '../../src/host/output.ts';
import { iterations, until } from '../support/sockets.ts';

const LIMIT = 4_096; // of lines that wait, and of bytes in a write

function setUp(isRead = true) {
  const written: string[] = [];
  function write(text: string, _encoding: string, taken: () => void): void {
    written.push(text);
    if (isRead) setImmediate(taken);
  }
  const stream = new Writable({ decodeStrings: false, write });
  return { ...createOutput(stream), stream, written };
}

const withoutTime = (text: string | undefined) => text?.replaceAll(/"time":"[^"]+",/g, '');
const count = (what: string, lines: number) => `{"level":"warn","message":"Log lines were ${what}","count":${lines}}\n`;

test('lines of an iteration, and those that wait, are written together, in order, up to 4,096 bytes', async () => {
  const { write, written } = setUp();
  const most = 'ü'.repeat(LIMIT / 4 - 1); // with its line feed, a byte less than half of a write
  const lines = ['a\n', 'b\n', `${most}\n`, `${most}\n`, 'c\n', `${'x'.repeat(LIMIT)}\n`, 'd\n'];
  for (const line of lines) write(line);
  assert.deepEqual(written, []);
  await until(() => written.length === 1);
  write('e\n');
  await until(() => written.length === 4);
  assert.deepEqual(written, [`a\nb\n${most}\n`, `${most}\nc\n`, lines[5], 'd\ne\n']);
});

test('what comes when 4,096 lines wait is dropped, and counted when all others are taken', async () => {
  const { write, written } = setUp();
  for (const drops of [3, 0, 1]) {
    for (let lines = 0; lines < LIMIT + drops; lines += 1) write('x\n');
    await until(() => written.length === 2); // none wait any more, but the reader has not taken all
    for (let lines = 0; lines < LIMIT + drops; lines += 1) write('y\n');
    const counted = drops > 0 ? count('dropped: stdout was read too slowly.', 2 * drops) : '';
    const expected = `${'x\n'.repeat(LIMIT)}${'y\n'.repeat(LIMIT)}${counted}`;
    await until(() => withoutTime(written.join(''))?.length === expected.length);
    await iterations();
    assert.equal(withoutTime(written.splice(0).join('')), expected);
  }
});

test('lines that cannot be written, as on a full disk, are counted when others can be again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] }); // so that the end never gives up
  const written: string[] = [];
  let error: Error | undefined = new Error('ENOSPC');
  const { write, end } = createOutput({ // like stdout, and unlike other streams, it goes on after an error
    on() {},
    write(text, callback) {
      if (error === undefined) written.push(text);
      setImmediate(callback, error);
    },
  });
  for (const line of ['a\n', 'b\n', `${'x'.repeat(LIMIT)}\n`]) write(line);
  await end();
  error = undefined;
  write('c\n');
  await until(() => written.length === 2);
  write('d\n');
  await end();
  assert.deepEqual(written.map(withoutTime), ['c\n', count('lost: stdout could not be written.', 3), 'd\n']);
});

test('the end waits until all lines and the number of drops are taken, or for a second, or for an error', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { write, end, written } = setUp();
  for (let lines = 0; lines < LIMIT + 1; lines += 1) write('x\n');
  await end();
  assert.match(String(written.at(-1)), /"count":1}/);
  await end();

  const slow = setUp(false);
  slow.write('x\n');
  let hasEnded = false;
  const ended = slow.end().then(() => { hasEnded = true; });
  t.mock.timers.tick(999);
  await iterations();
  assert.equal(hasEnded, false);
  t.mock.timers.tick(1);
  await ended;

  const closed = setUp();
  closed.stream.destroy(new Error('EPIPE'));
  await iterations();
  closed.write('x\n');
  await closed.end();
});
