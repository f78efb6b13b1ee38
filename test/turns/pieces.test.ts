// Where pieces end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pieces } from '../../src/turns/pieces.ts';
import { GET as HEAD } from '../support/exchange.ts';

/** The head of a request has passed whose content has this length, or comes in chunks. */
function begin(pieces: Pieces, length?: string): { complete: boolean } {
  const headers = length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': length };
  const request = { headers, complete: false };
  pieces.endHead(request);
  return request;
}

function piecesOf(pieces: Pieces, read: string): string[] {
  if (read === '') return [];
  const length = pieces.next(Buffer.from(read, 'latin1'));
  return [read.slice(0, length), ...piecesOf(pieces, read.slice(length))];
}

test('a piece ends at the empty line, wherever reads are cut', () => {
  for (let cut = 0; cut <= HEAD.length; cut += 1) {
    for (let second = cut; second <= HEAD.length; second += 1) {
      const pieces = new Pieces();
      const parts = [HEAD.slice(0, cut), HEAD.slice(cut, second), `${HEAD.slice(second)}POST`];
      const expected = [...parts.slice(0, 2), HEAD.slice(second), 'POST'].filter((piece) => piece !== '');
      assert.deepEqual(parts.flatMap((part) => piecesOf(pieces, part)), expected);
    }
  }
});

test('a piece of a head ends after 4 KiB, one of chunks after 1, or at an empty line that begins in it', () => {
  const pieces = new Pieces();
  for (const [length, end, ...expected] of [
    [9_000, '', 4_096, 4_096, 808], [2_500, '', 1_024, 1_024, 452],
    [1_022, '\r\n\r\nmore', 1_024, 2, 4], [1_030, '0\r\n\r\nmore', 1_024, 11, 4],
  ] as const) {
    assert.deepEqual(piecesOf(pieces, 'x'.repeat(length) + end).map((piece) => piece.length), expected);
    begin(pieces);
  }
});

test('content of known length is one piece, whatever is in it, and what follows it is none of it', () => {
  const pieces = new Pieces();
  begin(pieces, '2000');
  assert.equal(pieces.isSized, true);
  assert.deepEqual([pieces.next(Buffer.from('\r\n\r\n'.repeat(400))), pieces.isSized], [1_600, true]);
  assert.deepEqual([pieces.next(Buffer.alloc(399)), pieces.isSized], [399, true]);
  assert.deepEqual([pieces.next(Buffer.alloc(2)), pieces.isSized], [1, false]);
  assert.equal(pieces.next(Buffer.from('x')), 1, 'no piece is empty');
  begin(pieces);
  assert.equal(pieces.isSized, false);
  assert.deepEqual(piecesOf(pieces, `${HEAD}\r\nmore\r\n\r\n`), [HEAD, '\r\nmore\r\n\r\n']);
});

test('content that the head does not name passes byte by byte, until Node says that it has ended', () => {
  const pieces = new Pieces();
  pieces.next(Buffer.from(HEAD));
  const request = { headers: {}, complete: false };
  pieces.endHead(request);
  assert.deepEqual([piecesOf(pieces, '\r\n\r\n'), pieces.maxBytes], [['\r', '\n', '\r', '\n'], 1]);
  request.complete = true;
  assert.deepEqual([pieces.maxBytes, pieces.isArriving], [4_096, false], 'what comes then is another head');
});

test('empty lines count between requests', () => {
  const pieces = new Pieces();
  const count = (bytes: string) => pieces.emptyLines(Buffer.from(bytes));
  assert.deepEqual(['\r\n\n\rGET', '\nGET\r\n', 'GET\r\n', ''].map(count), [4, 1, 0, 0]);
  pieces.next(Buffer.from(HEAD));
  const request = begin(pieces, '1');
  assert.equal(count('\r\n'), 0);
  request.complete = true;
  assert.equal(count('\r\n'), 2);
});
