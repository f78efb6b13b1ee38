// How long the parts of chunked content may be. What they may be is in grammar.test.ts, and content as a whole in the corpus.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LegalRequest } from '../../src/http/request.ts';
import { RequestReader } from '../../src/http/request-reader.ts';
import { head } from '../support/corpus/entry.ts';

const bytesOf = (text: string) => Buffer.from(text, 'latin1');
const MORE = 'more is needed';

/** Where chunked content in these pieces ends, or the rule that it breaks, or `MORE`. */
function readChunks(pieces: readonly string[]): string {
  const reader = new RequestReader(() => undefined);
  reader.read(bytesOf(head('PUT / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')));
  let before = 0;
  for (const bytes of pieces.map(bytesOf)) {
    const result = reader.read(bytes);
    if (result instanceof LegalRequest) return `whole at ${before + reader.end}`;
    if (result !== undefined) return result.reason;
    before += bytes.length;
    bytes.fill('?'); // the bytes of a piece may be used for something else, as soon as it has been read
  }
  return MORE;
}

const last = '0\r\n\r\n';
/** A chunk whose line has `length` bytes, CR LF included. */
const chunkOf = (length: number) => `1;${'a'.repeat(length - 4)}\r\nx\r\n`;
const dataOf = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
const trailers = (length: number) => `X: ${'x'.repeat(length - 7)}\r\n\r\n`;
const fifteen = chunkOf(1_024).repeat(15);

// Each text: it is complete, or refused with its last byte.
for (const [what, ...texts] of [
  ['a chunk size has eight digits', [`00000001\r\nx\r\n${last}`], ['000000001\r\n', 'chunkSizeTooLong'], ['FFFFFFFF\r\n', 'contentTooLong'],
    ['100000000\r\n', 'chunkSizeTooLong']],
  ['a chunk size has 1 KiB with its extensions', [chunkOf(1_024) + last], ['1;'.padEnd(1_023, 'a'), 'chunkLineTooLong']],
  ['chunk sizes have 16 KiB with their extensions', [`${fifteen}${chunkOf(1_019)}${last}`],
    [`${fifteen}${chunkOf(1_022)}0`, 'chunkFramingTooLong'], [`${fifteen}${chunkOf(1_024)}0`, 'chunkFramingTooLong']],
  ['trailers and chunk sizes have 16 KiB together', [`0\r\n${trailers(16_381)}`], ['0\r\nX: '.padEnd(16_383, 'x'), 'trailersTooLong'],
    [`${fifteen}${chunkOf(1_020)}${last.slice(0, -1)}`, 'trailersTooLong'], [`0\r\n${'X:\r\n'.repeat(4_094)}\r\n`],
    [`0\r\n${'X:\r\n'.repeat(4_095)}\r`, 'trailersTooLong']],
  ['neither the data nor the CR LF after them count as framing', ['1\r\nx\r\n'.repeat(5_459) + last]],
  ['the data have 64 KiB together', [dataOf(65_535) + dataOf(1) + last], ['10001\r\n', 'contentTooLong'],
    [`${dataOf(65_535)}2\r\n`, 'contentTooLong']],
] as const) {
  test(what, () => {
    for (const [text, fault] of texts) {
      assert.equal(readChunks([text.slice(0, -1)]), MORE, text.slice(-40));
      for (const pieces of [[text], text.split(''), [text.slice(0, -1), text.slice(-1)]]) {
        assert.equal(readChunks(pieces), fault ?? `whole at ${text.length}`, text.slice(-40));
      }
    }
  });
}
