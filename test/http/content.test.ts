// The characters of chunk extensions, and how long the parts of chunked content may be. All other content is in the corpus.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LegalRequest } from '../../src/http/request.ts';
import { RequestReader } from '../../src/http/request-reader.ts';
import { CHARACTERS, divisions, TOKEN } from '../support/characters.ts';
import { head } from '../support/corpus/entry.ts';

const bytesOf = (text: string) => Buffer.from(text, 'latin1');
const MORE = 'more is needed';

/** Where chunked content in these pieces ends, or the status that refuses it, or `MORE`. */
function readChunks(pieces: readonly string[]): number | string {
  const reader = new RequestReader(() => true);
  reader.read(bytesOf(head('PUT / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')));
  let before = 0;
  for (const bytes of pieces.map(bytesOf)) {
    const result = reader.read(bytes);
    if (result instanceof LegalRequest) return `whole at ${before + reader.end}`;
    if (result !== undefined) return result.status;
    before += bytes.length;
    bytes.fill('?'); // the bytes of a piece may be used for something else, as soon as it has been read
  }
  return MORE;
}

test('chunked content is complete in any pieces, and nothing after it is read', () => {
  for (const text of ['2\r\n\r\n\r\n0\r\n\r\n', '0;a\r\nX:\r\n\r\n']) {
    for (const pieces of divisions(`${text}G`)) assert.equal(readChunks(pieces), `whole at ${text.length}`, JSON.stringify(pieces));
  }
});

const isToken = (character: string) => TOKEN.includes(character);

function assertExtensions(extensions: string, isLegal: boolean): void {
  const text = `3${extensions}\r\nabc\r\n0${extensions}\r\n\r\n`;
  assert.equal(readChunks([text]), isLegal ? `whole at ${text.length}` : 400, JSON.stringify(extensions));
}

test('the names and values of chunk extensions have the characters of a token', () => {
  for (const character of CHARACTERS) {
    assertExtensions(`;${character}`, isToken(character));
    assertExtensions(`;a${character}b`, isToken(character) || character === '=' || character === ';');
    assertExtensions(`;a=${character}`, isToken(character));
    assertExtensions(`;a=b${character}c`, isToken(character) || character === ';');
  }
});

test('quoted strings have tabs, spaces, visible ASCII and bytes outside ASCII; the quote and the backslash after a backslash', () => {
  for (const character of CHARACTERS) {
    const isText = character === '\t' || (character >= ' ' && character !== '\x7f');
    assertExtensions(`;a="b${character}c"`, isText && character !== '"');
    assertExtensions(`;a="${character}"`, isText && character !== '"' && character !== '\\');
    assertExtensions(`;a="b\\${character}c"`, isText);
  }
});

test('around the ; and = of chunk extensions are spaces and tabs, and nothing else', () => {
  // Whether a character of a token that stands between these two belongs to a name or a value.
  for (const [before, after, isJoined] of [
    ['', ';a', false], [';', 'a', true], [';a', '=b', true], [';a=', 'b', true], [';a=', '"b"', false], [';a="b"', ';c', false],
  ] as const) {
    for (const character of CHARACTERS.filter((each) => !/[\dA-Fa-f]/.test(each))) {
      const isSpace = character === ' ' || character === '\t';
      assertExtensions(before + character + after, isSpace || (isJoined && isToken(character)));
    }
  }
});

const last = '0\r\n\r\n';
/** A chunk whose line has `length` bytes, CR LF included. */
const chunkOf = (length: number) => `1;${'a'.repeat(length - 4)}\r\nx\r\n`;
const dataOf = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
const trailers = (length: number) => `X: ${'x'.repeat(length - 7)}\r\n\r\n`;
const fifteen = chunkOf(1_024).repeat(15);

// Each text: it is complete, or refused with its last byte.
for (const [what, ...texts] of [
  ['a chunk size has eight digits', [`00000001\r\nx\r\n${last}`], ['000000001\r\n', 400], ['FFFFFFFF\r\n', 413], ['100000000\r\n', 400]],
  ['a chunk size has 1 KiB with its extensions', [chunkOf(1_024) + last], ['1;'.padEnd(1_023, 'a'), 400]],
  ['chunk sizes have 16 KiB with their extensions', [`${fifteen}${chunkOf(1_019)}${last}`], [`${fifteen}${chunkOf(1_022)}0`, 400],
    [`${fifteen}${chunkOf(1_024)}0`, 400]],
  ['trailers and chunk sizes have 16 KiB together', [`0\r\n${trailers(16_381)}`], ['0\r\nX: '.padEnd(16_383, 'x'), 431],
    [`${fifteen}${chunkOf(1_020)}${last.slice(0, -1)}`, 431], [`0\r\n${'X:\r\n'.repeat(4_094)}\r\n`],
    [`0\r\n${'X:\r\n'.repeat(4_095)}\r`, 431]],
  ['neither the data nor the CR LF after them count as framing', ['1\r\nx\r\n'.repeat(5_459) + last]],
  ['the data have 64 KiB together', [dataOf(65_535) + dataOf(1) + last], ['10001\r\n', 413], [`${dataOf(65_535)}2\r\n`, 413]],
] as const) {
  test(what, () => {
    for (const [text, status] of texts) {
      assert.equal(readChunks([text.slice(0, -1)]), MORE, text.slice(-40));
      for (const pieces of [[text], text.split(''), [text.slice(0, -1), text.slice(-1)]]) {
        assert.equal(readChunks(pieces), status ?? `whole at ${text.length}`, text.slice(-40));
      }
    }
  });
}
