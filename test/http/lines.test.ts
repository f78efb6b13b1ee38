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

test('a line is where it stands in the bytes, without its CR LF, and is not copied', () => {
  const reader = new LineReader();
  const text = '--ab\r\n\r\ncd\r\ne';
  const bytes = bytesOf(text);
  reader.give(bytes);
  assert.equal(reader.skip(2), 2);
  for (const [start, end] of [[2, 4], [6, 6], [8, 10]] as const) {
    const line = reader.read(4, 'headTooLong');
    assert.deepEqual([line, reader.end, reader.length], [{ bytes, text, start, end }, end + 2, end + 2 - start]);
    assert.ok(typeof line === 'object' && line.bytes === bytes);
  }
  assert.deepEqual([reader.read(4, 'headTooLong'), reader.end], [undefined, 13]);
});

test('a line of several pieces is kept, by each reader its own, and the next one begins after it in the last piece', () => {
  const [reader, other] = [new LineReader(), new LineReader()];
  assert.deepEqual([reader.end, reader.length], [0, 0]);
  const give = (text: string, from = 0, to = reader) => {
    to.give(bytesOf(text));
    assert.equal(to.skip(from), from);
    return to.read(9, 'headTooLong');
  };
  assert.equal(give('-ab', 1), undefined);
  assert.equal(give('x', 0, other), undefined);
  assert.equal(give(''), undefined);
  reader.give(bytesOf('y'));
  reader.forget();
  assert.deepEqual([reader.skip(9), reader.end], [0, 0]);
  assert.equal(give('--cd\r', 2), undefined);
  const text = '---\nef\r\n';
  assert.deepEqual([give(text, 3), reader.end, reader.length], [{ bytes: bytesOf('abcd\r\n'), text: 'abcd\r\n', start: 0, end: 4 }, 4, 6]);
  assert.deepEqual([reader.read(9, 'headTooLong'), reader.end, reader.length], [{ bytes: bytesOf(text), text, start: 4, end: 6 }, 8, 4]);
});

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

test('what is between lines is skipped, as far as it is there', () => {
  const reader = new LineReader();
  const give = (text: string) => reader.give(bytesOf(text));
  give('\r\n\n\rab\r');
  assert.deepEqual([reader.skipLineEnds(1), reader.skipLineEnds(0), reader.skipLineEnds(2), reader.skipLineEnds(9)], [1, 0, 2, 1]);
  assert.deepEqual([reader.skip(1), reader.skip(0), reader.end], [1, 0, 5]);
  assert.deepEqual([reader.skip(9), reader.end, reader.skip(9)], [2, 7, 0]);
  give('\n\r');
  assert.deepEqual([reader.end, reader.skipLineEnds(9), reader.end, reader.skipLineEnds(9)], [0, 2, 2, 0]);
});
