// Content, however the bytes are divided into pieces. Most kinds of chunks are in the corpus, which request-reader.test.ts reads.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CHARACTERS, TOKEN } from '../support/characters.ts';
import { openContent, type Outcome } from '../support/content.ts';
import { cutsOf, divisions } from '../support/divisions.ts';

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
    const bytes = Buffer.from(piece, 'latin1');
    const result = read(bytes);
    outcome = result.outcome;
    length += result.end;
    bytes.fill('?'); // the bytes of a piece may be used for something else, as soon as it has been read
  }
  return { outcome, length: typeof outcome === 'number' ? 0 : length };
}

const whole = (text: string): Reading => ({ outcome: 'whole', length: text.length });
const refused = (outcome: number): Reading => ({ outcome, length: 0 });
const more = (length: number): Reading => ({ outcome: undefined, length });

describe('content with a length', () => {
  test('is whole with exactly its bytes, whatever they are, and none behind them is read', () => {
    for (const [length, text] of [[1, '\0'], [6, '\r\n\r\nab'], [8, '0\r\n\r\nGET']] as const) {
      for (const pieces of ['', 'G', '\r\n'].flatMap((behind) => cutsOf(text + behind))) {
        assert.deepEqual(readContent(length, pieces), whole(text), JSON.stringify(pieces));
      }
      for (const pieces of cutsOf(text.slice(1))) assert.deepEqual(readContent(length, pieces), more(length - 1));
    }
  });

  test('may be 64 KiB', () => {
    const text = 'x'.repeat(65_536);
    for (const pieces of [[`${text}x`], [text.slice(1), 'xx'], text.split('')]) assert.deepEqual(readContent(65_536, pieces), whole(text));
  });
});

describe('chunked content', () => {
  for (const text of ['3\r\nabc\r\n0\r\n\r\n', '1;a\r\n\0\r\n0;b=c;d="e"\r\nX: y\r\nY:\r\n\r\n']) {
    test(`is whole with the last byte of ${JSON.stringify(text)}, however it is cut, and nothing behind it is read`, () => {
      for (const pieces of ['', '\r\n', '\0', 'GET'].flatMap((behind) => cutsOf(text + behind))) {
        assert.deepEqual(readContent(undefined, pieces), whole(text), JSON.stringify(pieces));
      }
      for (let at = 0; at < text.length; at += 1) assert.deepEqual(readContent(undefined, [text.slice(0, at)]), more(at));
    });
  }

  test('is whole in any pieces', () => {
    for (const text of ['2\r\n\r\n\r\n0\r\n\r\n', '0;a\r\nX:\r\n\r\n']) {
      for (const pieces of divisions(`${text}G`)) assert.deepEqual(readContent(undefined, pieces), whole(text), JSON.stringify(pieces));
    }
  });
});

describe('chunk extensions', () => {
  const isToken = (character: string) => TOKEN.includes(character);

  function assertExtensions(extensions: string, isLegal: boolean): void {
    const text = `3${extensions}\r\nabc\r\n0${extensions}\r\n\r\n`;
    assert.deepEqual(readContent(undefined, [text]), isLegal ? whole(text) : refused(400), JSON.stringify(extensions));
  }

  test('have names and values of the characters of a token', () => {
    for (const character of CHARACTERS) {
      assertExtensions(`;${character}`, isToken(character));
      assertExtensions(`;a${character}b`, isToken(character) || character === '=' || character === ';');
      assertExtensions(`;a=${character}`, isToken(character));
      assertExtensions(`;a=b${character}c`, isToken(character) || character === ';');
    }
  });

  test('have quoted strings of tabs, spaces, visible ASCII and bytes outside ASCII; the quote and the backslash with one in front', () => {
    for (const character of CHARACTERS) {
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
      for (const character of CHARACTERS.filter((each) => !/[\dA-Fa-f]/.test(each))) {
        const isSpace = character === ' ' || character === '\t';
        assertExtensions(before + character + behind, isSpace || (isJoined && isToken(character)));
      }
    }
  });
});

describe('the limits of chunked content', () => {
  const last = '0\r\n\r\n';
  /** A chunk whose line has `length` bytes, CR LF included. */
  const chunkOf = (length: number) => `1;${'a'.repeat(length - 4)}\r\nx\r\n`;
  const dataOf = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
  const trailers = (length: number) => `X: ${'x'.repeat(length - 7)}\r\n\r\n`;
  const sixteen = chunkOf(1_024).repeat(15);

  /** The status that refuses each text at its last byte; 0: more is needed; undefined: it is whole. */
  function assertAll(...readings: readonly (readonly [text: string, result?: number])[]): void {
    for (const [text, result] of readings) {
      const expected = result === undefined ? whole(text) : result === 0 ? more(text.length) : refused(result);
      for (const pieces of [[text], text.split(''), [text.slice(0, -1), text.slice(-1)], [text.slice(0, -2), text.slice(-2)]]) {
        assert.deepEqual(readContent(undefined, pieces), expected, text.slice(-40));
      }
    }
  }

  test('a chunk size has eight digits', () => {
    assertAll([`00000001\r\nx\r\n${last}`], ['000000001\r\n', 400], ['FFFFFFFF\r\n', 413], ['100000000\r\n', 400]);
  });

  test('a chunk size with its extensions has 1 KiB, or it is refused with 400', () => {
    const ending = (length: number) => `0;${'a'.repeat(length - 4)}\r\n\r\n`;
    assertAll([chunkOf(1_024) + last], [chunkOf(1_025).slice(0, 1_023), 400], [chunkOf(1_025).slice(0, 1_022), 0]);
    assertAll([ending(1_024)], [ending(1_025), 400]);
  });

  test('chunk sizes have 16 KiB with their extensions, or they are refused with 400', () => {
    assertAll([sixteen + chunkOf(1_019) + last], [sixteen + chunkOf(1_020) + last, 431]);
    assertAll([`${sixteen}${chunkOf(1_021)}0`, 0], [`${sixteen}${chunkOf(1_022)}0`, 400]);
    assertAll([`${sixteen}${chunkOf(1_024)}`, 0], [`${sixteen}${chunkOf(1_024)}0`, 400]);
  });

  test('trailers and chunk sizes have 16 KiB together, or they are refused with 431', () => {
    assertAll([`0\r\n${trailers(16_381)}`], [`0\r\n${trailers(16_382)}`, 431]);
    assertAll([`0\r\nX: ${'x'.repeat(16_377)}`, 431], [`0\r\nX: ${'x'.repeat(16_376)}`, 0]);
    assertAll([`${chunkOf(1_000)}0\r\n${trailers(15_381)}`], [`${chunkOf(1_000)}0\r\n${trailers(15_382)}`, 431]);
    assertAll([`0\r\n${'X:\r\n'.repeat(4_094)}\r\n`], [`0\r\n${'X:\r\n'.repeat(4_095)}\r\n`, 431]);
    assertAll([`0\r\n${trailers(16_382).slice(0, -4)}\0`, 400]);
  });

  test('neither the data nor the CR LF behind them count as framing', () => {
    const chunks = (count: number) => `${'1\r\nx\r\n'.repeat(count)}${last}`;
    assertAll([chunks(5_459)], [chunks(5_460), 431]);
  });

  test('the data have 64 KiB together, or they are refused with 413 at the size that is too much', () => {
    assertAll([dataOf(65_536) + last], [dataOf(65_535) + dataOf(1) + last], ['10001\r\n', 413]);
    assertAll([`${dataOf(65_535)}2\r\n`, 413], [`${dataOf(65_536)}1\r\n`, 413]);
  });
});
