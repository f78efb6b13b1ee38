// Lines, however the bytes are divided into pieces.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LineReader } from '../../src/http/lines.ts';
import { cutsOf, divisions } from '../support/divisions.ts';

const bytesOf = (text: string) => Buffer.from(text, 'latin1');

/** The lines in these pieces, each with the number of its bytes, and what the reader says when it can read no more. */
function linesOf(pieces: readonly string[], limit = 100): string[] {
  const reader = new LineReader();
  const said: string[] = [];
  for (const bytes of pieces.map(bytesOf)) {
    reader.give(bytes, bytes.toString('latin1'));
    while (reader.end < bytes.length) {
      const line = reader.read(limit, 414);
      if (typeof line === 'number') return [...said, line === 400 ? 'illegal' : line === 414 ? 'too long' : String(line)];
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
  reader.give(bytes, text);
  assert.equal(reader.skip(2), 2);
  for (const [start, end] of [[2, 4], [6, 6], [8, 10]] as const) {
    const line = reader.read(4, 414);
    assert.deepEqual([line, reader.end, reader.length], [{ bytes, text, start, end }, end + 2, end + 2 - start]);
    assert.ok(typeof line === 'object' && line.bytes === bytes);
  }
  assert.deepEqual([reader.read(4, 414), reader.end], [undefined, 13]);
});

test('a line of several pieces is kept, and the next one begins behind it in the last piece', () => {
  const reader = new LineReader();
  const give = (text: string, from = 0) => {
    reader.give(bytesOf(text), text);
    assert.equal(reader.skip(from), from);
    return reader.read(9, 414);
  };
  assert.equal(give('-ab', 1), undefined);
  assert.equal(give(''), undefined);
  assert.equal(give('--cd\r', 2), undefined);
  const text = '---\nef\r\n';
  assert.deepEqual([give(text, 3), reader.end, reader.length], [{ bytes: bytesOf('abcd\r\n'), text: 'abcd\r\n', start: 0, end: 4 }, 4, 6]);
  assert.deepEqual([reader.read(9, 414), reader.end, reader.length], [{ bytes: bytesOf(text), text, start: 4, end: 6 }, 8, 4]);
});

test('with a limit of 8 bytes, a text is these lines however it is divided, up to what is no line', () => {
  const texts: readonly (readonly [text: string, ...said: string[]])[] = [
    [''], ['\r\n', '2: '], ['a\r\n', '3: a'], ['a\r\nb', '3: a'], ['a\r\n\r', '3: a'], ['a\r\n\r\n\r\nb\r\n', '3: a', '2: ', '2: ', '3: b'],
    ['\xff\t\x80 \r\n~', '6: \xff\t\x80 '], ['a\nb', 'illegal'], ['a\r\n\nb', '3: a', 'illegal'], ['\rb\r\n', 'illegal'],
    ['a\r\r\nb', 'illegal'], ['a\r\0b\r\n', 'illegal'], ['a\0b\r\n', 'illegal'], ['a\r\nb\x7f\r\n', '3: a', 'illegal'],
    ['abcdef\r\nb', '8: abcdef'], ['abcdef'], ['abcdefg', 'too long'], ['a\r\nabcdefg\r', '3: a', 'too long'],
    ['abcdef\0', 'illegal'], ['abcdefg\0', 'too long'], ['abcdefg\rb', 'too long'], ['abcdef\rb', 'illegal'],
  ];
  for (const [text, ...said] of texts) {
    for (const pieces of divisions(text)) assert.deepEqual(linesOf(pieces, 8), said, JSON.stringify(pieces));
  }
});

test('each byte of a line is a tab, visible ASCII, a space, or outside ASCII', () => {
  for (let byte = 0; byte < 256; byte += 1) {
    const character = String.fromCharCode(byte);
    const isLegal = character === '\t' || (byte >= 32 && byte <= 126) || byte >= 128;
    for (const line of [character, `${character}ab`, `a${character}b`, `ab${character}`]) {
      const isEnd = byte === 13 && line === `ab${character}`; // CR CR LF
      const expected = isLegal ? [`${line.length + 2}: ${line}`] : ['illegal'];
      for (const pieces of cutsOf(`${line}\r\n`)) assert.deepEqual(linesOf(pieces), isEnd ? ['illegal'] : expected, JSON.stringify(pieces));
    }
  }
});

test('behind CR there is LF and nothing else, also where the piece ends between them', () => {
  for (let byte = 0; byte < 256; byte += 1) {
    const expected = byte === 10 ? ['3: a'] : ['illegal'];
    for (const pieces of divisions(`a\r${String.fromCharCode(byte)}`)) assert.deepEqual(linesOf(pieces), expected, JSON.stringify(pieces));
  }
});

describe('a line may have as many bytes as the limit, CR LF included', () => {
  for (const limit of [2, 3, 10, 1024, 16_383]) {
    test(`which are ${limit}`, () => {
      const line = 'a'.repeat(limit - 2);
      const piecesOf = (text: string) => [[text], text.split(''), [text.slice(0, -1), text.slice(-1)], [text.slice(0, -2), text.slice(-2)]];
      for (const pieces of piecesOf(`${line}\r\n`)) assert.deepEqual(linesOf(pieces, limit), [`${limit}: ${line}`]);
      for (const pieces of piecesOf(`${line}a\r\n`)) assert.deepEqual(linesOf(pieces, limit), ['too long']);
      for (const pieces of piecesOf(`${line}aa`)) assert.deepEqual(linesOf(pieces, limit), ['too long']);
      for (const pieces of piecesOf(`${line}a`)) assert.deepEqual(linesOf(pieces, limit), ['too long']);
      for (const pieces of piecesOf(line)) assert.deepEqual(linesOf(pieces, limit), []);
      for (const pieces of piecesOf(`${line}\r`)) assert.deepEqual(linesOf(pieces, limit), []);
      for (const pieces of piecesOf(`${line}\n`)) assert.deepEqual(linesOf(pieces, limit), ['illegal']);
    });
  }

  test('and with a limit of no bytes each line is too long', () => {
    const reader = new LineReader();
    for (const text of ['\r\n', '\0']) {
      reader.give(bytesOf(text), text);
      assert.equal(reader.read(0, 414), 414);
    }
  });
});

test('what is between lines is skipped, as far as it is there', () => {
  const reader = new LineReader();
  const give = (text: string) => reader.give(bytesOf(text), text);
  give('\r\n\n\rab\r');
  assert.deepEqual([reader.skipLineEnds(1), reader.skipLineEnds(0), reader.skipLineEnds(2), reader.skipLineEnds(9)], [1, 0, 2, 1]);
  assert.deepEqual([reader.skip(1), reader.skip(0), reader.end], [1, 0, 5]);
  assert.deepEqual([reader.skip(9), reader.end, reader.skip(9)], [2, 7, 0]);
  give('\n\r');
  assert.deepEqual([reader.end, reader.skipLineEnds(9), reader.end, reader.skipLineEnds(9)], [0, 2, 2, 0]);
});

test('of what has been read, nothing is kept but a line that is not whole, by each reader its own', () => {
  const [reader, other] = [new LineReader(), new LineReader()];
  assert.deepEqual([reader.end, reader.length], [0, 0]);
  for (const [each, text] of [[reader, 'c'], [other, 'd']] as const) {
    each.give(bytesOf(text), text);
    assert.equal(each.read(9, 414), undefined);
  }
  reader.give(bytesOf('x'), 'x');
  reader.forget();
  assert.deepEqual([reader.skip(9), reader.end], [0, 0]);
  reader.give(bytesOf('\r\n'), '\r\n');
  assert.deepEqual(reader.read(9, 414), { bytes: bytesOf('c\r\n'), text: 'c\r\n', start: 0, end: 1 });
});
