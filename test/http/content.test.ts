// Content, however the bytes are divided into pieces.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SIZE_LIMITS } from '../../src/http/limits.ts';
import { openContent, type Outcome } from '../support/content.ts';
import { cutsOf, divisions } from '../support/divisions.ts';
import { movedBytes } from '../support/moved-bytes.ts';

const bytesOf = (text: string) => Buffer.from(text, 'latin1');
const isToken = (character: string) => /^[\w!#$%&'*+\-.^`|~]$/.test(character);
const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));

type Reading = {
  readonly outcome: Outcome;
  /** How many bytes have been read, unless they are refused. */
  readonly length: number;
};

/** What is known when these pieces of content have been read, or as many of them as it takes to know it. */
function readContent(contentLength: number | undefined, pieces: readonly string[]): Reading {
  const read = openContent(contentLength);
  let outcome: Outcome;
  let length = 0;
  for (const piece of pieces) {
    if (outcome !== undefined) break;
    const bytes = bytesOf(piece);
    const result = read(bytes);
    outcome = result.outcome;
    length += result.end;
    bytes.fill('?'); // the bytes of a piece may be used for something else, as soon as it has been read
  }
  return { outcome, length: typeof outcome === 'number' ? 0 : length };
}

const whole = (text: string): Reading => ({ outcome: 'whole', length: text.length });
const refused = (outcome: number): Reading => ({ outcome, length: 0 });

describe('content with a length', () => {
  test('is whole with exactly its bytes, whatever they are, and none behind them is read', () => {
    for (const [length, text] of [[1, '\0'], [3, 'abc'], [6, '\r\n\r\nab'], [8, '0\r\n\r\nGET']] as const) {
      for (const behind of ['', 'G', '\r\n\r\nGET']) {
        for (const pieces of cutsOf(text + behind)) assert.deepEqual(readContent(length, pieces), whole(text), JSON.stringify(pieces));
      }
      for (const pieces of cutsOf(text.slice(1))) assert.deepEqual(readContent(length, pieces), { outcome: undefined, length: length - 1 });
    }
  });

  test('may be 64 KiB', () => {
    const text = 'x'.repeat(65_536);
    for (const pieces of [[`${text}x`], [text, 'x'], [text.slice(1), 'xx'], text.split('')]) {
      assert.deepEqual(readContent(65_536, pieces), whole(text));
    }
  });

  test('is not copied', (t) => {
    const bytes = Buffer.from('x'.repeat(65_536));
    const moved = movedBytes(t, () => {
      const read = openContent(65_537);
      assert.deepEqual(read(bytes), { outcome: undefined, end: 65_536 });
      assert.deepEqual(read(bytes), { outcome: 'whole', end: 1 });
    });
    assert.equal(moved, 0);
  });
});

describe('chunked content is whole', () => {
  for (const text of [
    '0\r\n\r\n',
    '00000000\r\n\r\n',
    '3\r\nabc\r\n0\r\n\r\n',
    '0003\r\nabc\r\n1\r\n\r\r\n0\r\n\r\n',
    '4\r\n\r\n\r\n\r\n0\r\n\r\n',
    '7\r\n0\r\n\r\nGE\r\n0\r\n\r\n',
    'a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n',
    '0000001f\r\n0123456789abcdef0123456789abcde\r\n0\r\n\r\n',
    '1\r\n\0\r\n0\r\nX: y\r\n\r\n',
    '0\r\nX: y\r\nY:\r\nContent-Length: 5\r\nTransfer-Encoding: x\r\nHost: b\r\n\r\n',
    '1;a\r\nx\r\n0;b=c;d="e"\r\n\r\n',
  ]) {
    test(`with ${JSON.stringify(text)}, however it is cut, and nothing behind it is read`, () => {
      for (const behind of ['', '\r\n', '\0', 'GET / HTTP/1.1\r\n']) {
        for (const pieces of cutsOf(text + behind)) assert.deepEqual(readContent(undefined, pieces), whole(text), JSON.stringify(pieces));
      }
      for (let length = 0; length < text.length; length += 1) {
        assert.deepEqual(readContent(undefined, [text.slice(0, length)]), { outcome: undefined, length });
      }
    });
  }

  test('in any pieces', () => {
    for (const text of ['2\r\n\r\n\r\n0\r\n\r\n', '0;a\r\nX:\r\n\r\n']) {
      for (const pieces of divisions(`${text}G`)) assert.deepEqual(readContent(undefined, pieces), whole(text), JSON.stringify(pieces));
    }
  });
});

describe('chunked content is refused with 400, however it is cut', () => {
  for (const text of [
    '\r\n',
    'x\r\n',
    '-1\r\n',
    '+1\r\n',
    '0x1\r\n',
    ' 1\r\n',
    '1 \r\n',
    '1\t\r\n',
    '1 1\r\n',
    '1.0\r\n',
    ';a\r\n',
    '123456789\r\n',
    '000000001\r\n',
    '\0',
    '1\n',
    '1\r\r',
    '1;a\n',
    '3\r\nabcd',
    '3\r\nabc0',
    '3\r\nabc\n',
    '3\r\nabc\r\r',
    '3\r\nabc\0',
    '3\r\nabc\r\n\r\n',
    '0\r\nX\r\n',
    '0\r\nX : y\r\n',
    '0\r\n: y\r\n',
    '0\r\n X: y\r\n',
    '0\r\nX: y\r\n folded\r\n',
    '0\r\nX: a\n',
    '0\r\nX: \0',
    '0\r\n\n',
    '0\r\n\r\r',
  ]) {
    test(`at the last byte of ${JSON.stringify(text)}`, () => {
      for (const pieces of [...cutsOf(text), ...cutsOf(`${text}0\r\n\r\n`)]) {
        assert.deepEqual(readContent(undefined, pieces), refused(400), JSON.stringify(pieces));
      }
      assert.equal(readContent(undefined, [text.slice(0, -1)]).outcome, undefined);
    });
  }
});

/** A chunk and the last one, whose lines have these extensions. */
const withExtensions = (extensions: string) => `3${extensions}\r\nabc\r\n0${extensions}\r\n\r\n`;

function assertExtensions(extensions: string, isLegal: boolean): void {
  const text = withExtensions(extensions);
  assert.deepEqual(readContent(undefined, [text]), isLegal ? whole(text) : refused(400), JSON.stringify(extensions));
}

describe('chunk extensions', () => {
  test('are names, and perhaps values, which are tokens or quoted strings, with white space around the ; and =', () => {
    for (const extensions of [
      '', ';a', ';a=b', ';a;b', ';a=b;c=d;e', ';a=""', ';a="b"', ';a="b";c', ';a="b;c=d"', ';a="b c\td"', ';a="\\""', ';a="\\\\"',
      ';a="\\\\\\""', ';a="\\a\\\t\\ \\\xe9"', ';a="\xe9\xff"', ' ;a', '\t;a', '; a', ';\ta', ' \t; \ta',
      ';a =b', ';a= b', ';a \t=\t b', ';a="b" ;c', ';a ; b', ';0', ';a=0', ';!',
    ]) assertExtensions(extensions, true);
  });

  test('are refused otherwise', () => {
    for (const extensions of [
      ';', ';;', ';;a', ';a;', ';=', ';=b', ';a=', ';a==b', ';a=b=c', ';a b', ';a=b c', ';a ', ';a=b ', ' ', ';"a"', ';"a"=b', ';a="',
      ';a="b', ';a="\\"', ';a="b\\', ';a="b"c', ';a="b" c', ';a="b""c"', ';a=b"c"', ";a='b c'", ';a="\x7f"', ';a="\0"', ';a="\\\x7f"',
      ';a="b\nc"', ';\xe9', ';a=\xe9', ',a', '=a', 'g', ';a,b', ';a=b,c',
    ]) assertExtensions(extensions, false);
  });

  test('have names and values of the characters of a token', () => {
    for (const character of characters) {
      assertExtensions(`;${character}`, isToken(character));
      assertExtensions(`;a${character}b`, isToken(character) || character === '=' || character === ';');
      assertExtensions(`;a=${character}`, isToken(character));
      assertExtensions(`;a=b${character}c`, isToken(character) || character === ';');
    }
  });

  test('have quoted strings of tabs, spaces, visible ASCII and bytes outside ASCII; the quote and the backslash with one in front', () => {
    for (const character of characters) {
      const isText = character === '\t' || (character >= ' ' && character !== '\x7f');
      assertExtensions(`;a="b${character}c"`, isText && character !== '"');
      assertExtensions(`;a="${character}"`, isText && character !== '"' && character !== '\\');
      assertExtensions(`;a="b\\${character}c"`, isText);
    }
  });

  test('have spaces and tabs around the ; and =, and nothing else there', () => {
    // Whether a character of a token that stands between these two belongs to a name or a value.
    for (const [before, behind, isJoined] of [
      ['', ';a', false], [';', 'a', true], [';a', '=b', true], [';a=', 'b', true], [';a=', '"b"', false], [';a="b"', ';c', false],
    ] as const) {
      for (const character of characters.filter((each) => !/[\dA-Fa-f]/.test(each))) {
        const isSpace = character === ' ' || character === '\t';
        assertExtensions(before + character + behind, isSpace || (isJoined && isToken(character)));
      }
    }
  });
});

/** Content of one chunk whose line has `length` bytes, CR LF included. */
const chunkOf = (length: number) => `1;${'a'.repeat(length - 4)}\r\nx\r\n`;
const some = (text: string) => [[text], text.split(''), [text.slice(0, -1), text.slice(-1)], [text.slice(0, -2), text.slice(-2)]];

function assertContent(text: string, reading: Reading): void {
  for (const pieces of some(text)) assert.deepEqual(readContent(undefined, pieces), reading, String(pieces.length));
}

describe('the limits of chunked content', () => {
  const last = '0\r\n\r\n';

  test('are 1 KiB and 16 KiB', () => {
    assert.deepEqual([SIZE_LIMITS.chunkLineBytes, SIZE_LIMITS.framingBytes], [1_024, 16_384]);
  });

  test('a chunk size has eight digits', () => {
    assertContent(`00000001\r\nx\r\n${last}`, whole(`00000001\r\nx\r\n${last}`));
    assertContent('000000001\r\n', refused(400));
    assertContent('FFFFFFFF\r\n', refused(413));
    assertContent('100000000\r\n', refused(400));
  });

  test('a chunk size with its extensions has 1 KiB, or it is refused with 400', () => {
    assertContent(chunkOf(1_024) + last, whole(chunkOf(1_024) + last));
    assertContent(chunkOf(1_025).slice(0, 1_023), refused(400));
    assert.equal(readContent(undefined, [chunkOf(1_025).slice(0, 1_022)]).outcome, undefined);
    const lastChunk = (length: number) => `0;${'a'.repeat(length - 4)}\r\n\r\n`;
    assertContent(lastChunk(1_024), whole(lastChunk(1_024)));
    assertContent(lastChunk(1_025), refused(400));
  });

  test('chunk sizes have 16 KiB with their extensions, or they are refused with 400', () => {
    const sixteen = chunkOf(1_024).repeat(15);
    assertContent(`${sixteen}${chunkOf(1_019)}${last}`, whole(`${sixteen}${chunkOf(1_019)}${last}`));
    assertContent(`${sixteen}${chunkOf(1_020)}${last}`, refused(431));
    assertContent(`${sixteen}${chunkOf(1_021)}0`, { outcome: undefined, length: sixteen.length + 1_025 });
    assertContent(`${sixteen}${chunkOf(1_022)}0`, refused(400));
    assertContent(`${sixteen}${chunkOf(1_024)}`, { outcome: undefined, length: sixteen.length + 1_027 });
    assertContent(`${sixteen}${chunkOf(1_024)}0`, refused(400));
  });

  test('trailers and chunk sizes have 16 KiB together, or they are refused with 431', () => {
    const trailers = (length: number) => `X: ${'x'.repeat(length - 7)}\r\n\r\n`;
    assertContent(`0\r\n${trailers(16_381)}`, whole(`0\r\n${trailers(16_381)}`));
    assertContent(`0\r\n${trailers(16_382)}`, refused(431));
    assertContent(`0\r\nX: ${'x'.repeat(16_377)}`, refused(431));
    assertContent(`0\r\nX: ${'x'.repeat(16_376)}`, { outcome: undefined, length: 16_382 });
    assertContent(`${chunkOf(1_000)}0\r\n${trailers(15_381)}`, whole(`${chunkOf(1_000)}0\r\n${trailers(15_381)}`));
    assertContent(`${chunkOf(1_000)}0\r\n${trailers(15_382)}`, refused(431));
    assertContent(`0\r\n${'X:\r\n'.repeat(4_094)}\r\n\r\n`, whole(`0\r\n${'X:\r\n'.repeat(4_094)}\r\n`));
    assertContent(`0\r\n${'X:\r\n'.repeat(4_095)}\r\n`, refused(431));
    assertContent(`0\r\n${trailers(16_382).slice(0, -4)}\0`, refused(400));
  });

  test('neither the data nor the CR LF behind them count as framing', () => {
    const chunks = (count: number) => `${'1\r\nx\r\n'.repeat(count)}${last}`;
    assertContent(chunks(5_459), whole(chunks(5_459)));
    assertContent(chunks(5_460), refused(431));
  });

  test('the data have 64 KiB together, or they are refused with 413 at the size that is too much', () => {
    const chunk = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
    assertContent(chunk(65_536) + last, whole(chunk(65_536) + last));
    assertContent(chunk(65_535) + chunk(1) + last, whole(chunk(65_535) + chunk(1) + last));
    assertContent('10001\r\n', refused(413));
    assertContent(`${chunk(65_535)}2\r\n`, refused(413));
    assertContent(`${chunk(65_536)}1\r\n`, refused(413));
  });
});

test('the work for lines that arrive byte by byte grows with their length, and not with the square of it', (t) => {
  const read = (text: string) => {
    const content = openContent(undefined);
    const bytes = bytesOf(text);
    const outcomes = Array.from(bytes, (_, at) => content(bytes.subarray(at, at + 1)).outcome);
    assert.deepEqual(outcomes.filter((outcome) => outcome !== undefined), ['whole']);
  };
  const last = '0\r\n\r\n';
  for (const text of [
    ...[1, 4].map((count) => chunkOf(1_000).repeat(count) + last),
    ...[1_000, 4_000].map((length) => `0\r\nX: ${'x'.repeat(length)}\r\n\r\n`),
    '1\r\nx\r\n'.repeat(1_000) + last,
  ]) {
    const moved = movedBytes(t, () => read(text));
    assert.ok(moved < 8 * text.length, `${moved} bytes are moved for ${text.length}`);
  }
});
