// What is between lines. The lines themselves are in request-reader.test.ts, divided in many ways.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineReader } from '../../src/http/lines.ts';

test('what is between lines is skipped; nothing is there before bytes are given, nor after they are forgotten', () => {
  const reader = new LineReader();
  assert.deepEqual([reader.end, reader.skip(9)], [0, 0]);
  reader.give(Buffer.from('\r\n\n\rab'));
  assert.deepEqual([1, 0, 2, 9].map((count) => reader.skipLineEnds(count)), [1, 0, 2, 1]);
  assert.deepEqual([reader.skip(1), reader.skip(0), reader.end], [1, 0, 5]);
  reader.forget();
  assert.deepEqual([reader.skip(9), reader.end], [0, 0]);
});
