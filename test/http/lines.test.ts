// Lines, however the bytes are divided into pieces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineReader } from '../../src/http/lines.ts';
import { divisions } from '../support/characters.ts';

const LIMIT = 8;
const bytesOf = (text: string) => Buffer.from(text, 'latin1');

/** The lines in these pieces, each with the number of its bytes, and the rule that is broken, after which the reader can read no more. */
function linesOf(pieces: readonly string[]): string[] {
  const reader = new LineReader();
  const said: string[] = [];
  for (const bytes of pieces.map(bytesOf)) {
    reader.give(bytes);
    while (reader.end < bytes.length) {
      const line = reader.read(LIMIT, 'headTooLong');
      if (typeof line === 'string') return [...said, line];
      if (line !== undefined) said.push(`${reader.length}: ${line.text.slice(line.start, line.end)}`);
    }
    bytes.fill('?'); // the bytes of a piece may be used for something else, as soon as it has been read
  }
  return said;
}

test('with a limit of 8 bytes, a text has these lines however it is divided, up to the first illegal one', () => {
  const texts: readonly (readonly [text: string, ...said: string[]])[] = [
    [''], ['\r\n', '2: '], ['a\r\n', '3: a'], ['a\r\nb', '3: a'], ['a\r\n\r', '3: a'], ['a\r\n\r\n\r\nb\r\n', '3: a', '2: ', '2: ', '3: b'],
    ['\xff\t\x80 \r\n~', '6: \xff\t\x80 '], ['a\nb', 'lineEnd'], ['a\r\n\nb', '3: a', 'lineEnd'], ['\rb\r\n', 'lineEnd'],
    ['a\r\r\nb', 'lineEnd'], ['a\0b\r\n', 'controlCharacter'], ['a\r\nb\x7f\r\n', '3: a', 'controlCharacter'],
    ['abcdef\r\nb', '8: abcdef'], ['abcdef'], ['abcdef\r'], ['abcdefg', 'headTooLong'], ['a\r\nabcdefg\r', '3: a', 'headTooLong'],
    ['abcdef\0', 'controlCharacter'], ['abcdefg\0', 'headTooLong'], ['abcdefg\rb', 'headTooLong'], ['abcdef\rb', 'lineEnd'],
    ['abcdef\n', 'lineEnd'],
  ];
  for (const [text, ...said] of texts) {
    for (const pieces of divisions(text)) assert.deepEqual(linesOf(pieces), said, JSON.stringify(pieces));
  }
});

test('what is between lines is skipped; nothing is there before bytes are given, nor after they are forgotten', () => {
  const reader = new LineReader();
  assert.deepEqual([reader.end, reader.length], [0, 0]);
  reader.give(bytesOf('\r\n\n\rab'));
  assert.deepEqual([1, 0, 2, 9].map((count) => reader.skipLineEnds(count)), [1, 0, 2, 1]);
  assert.deepEqual([reader.skip(1), reader.skip(0), reader.end], [1, 0, 5]);
  reader.forget();
  assert.deepEqual([reader.skip(9), reader.end], [0, 0]);
});
