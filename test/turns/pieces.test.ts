// Where pieces end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pieces } from '../../src/turns/pieces.ts';

const HEAD = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** The head of a request has passed whose content has this length, or comes in chunks. */
function begin(pieces: Pieces, length?: number): { complete: boolean } {
  const request = { headers: length === undefined ? {} : { 'content-length': String(length) }, complete: false };
  pieces.begin(request);
  return request;
}

/** The next request begins. */
function startRequest(pieces: Pieces): void {
  begin(pieces).complete = true;
  pieces.answer();
}

/** The pieces of `reads`, each of which is passed to its end. */
function piecesOf(pieces: Pieces, ...reads: readonly string[]): string[] {
  return reads.flatMap((read) => {
    const found: string[] = [];
    for (let at = 0; at < read.length; at += found.at(-1)?.length ?? 0) {
      const length = pieces.take(Buffer.from(read, 'latin1').subarray(at));
      assert.ok(length > 0);
      found.push(read.slice(at, at + length));
    }
    return found;
  });
}

test('a piece ends at the empty line, wherever reads are cut', () => {
  for (let cut = 0; cut <= HEAD.length; cut += 1) {
    for (let second = cut; second <= HEAD.length; second += 1) {
      const parts = [HEAD.slice(0, cut), HEAD.slice(cut, second), HEAD.slice(second)];
      const expected = [...parts, 'POST'].filter((piece) => piece !== '');
      assert.deepEqual(piecesOf(new Pieces(), ...parts.slice(0, 2), `${parts[2]}POST`), expected);
    }
  }
});

test('a piece of a head or of chunks ends after 1 KiB, or at an empty line that begins in it and ends after it', () => {
  const pieces = new Pieces();
  for (const [length, end, ...expected] of [
    [2_500, '', 1_024, 1_024, 452], [1_022, '\r\n\r\nmore', 1_024, 2, 4], [1_030, '0\r\n\r\nmore', 1_024, 11, 4],
  ] as const) {
    assert.deepEqual(piecesOf(pieces, 'x'.repeat(length) + end).map((piece) => piece.length), expected);
    begin(pieces);
  }
});

test('content of known length is one piece, whatever is in it, and what follows it is none of it', () => {
  const pieces = new Pieces();
  begin(pieces, 2_000);
  assert.equal(pieces.isSized, true);
  assert.deepEqual([pieces.take(Buffer.from('\r\n\r\n'.repeat(400))), pieces.isSized], [1_600, true]);
  assert.deepEqual([pieces.take(Buffer.alloc(401)), pieces.isSized], [400, false]);
  startRequest(pieces);
  assert.equal(pieces.isSized, false);
  assert.deepEqual(piecesOf(pieces, `${HEAD}more`), [HEAD, 'more']);
});

test('no empty line is made of the end of one part of a request and the beginning of the next', () => {
  const pieces = new Pieces();
  piecesOf(pieces, 'x\r\n');
  begin(pieces);
  assert.deepEqual(piecesOf(pieces, '\r\nx\r\n'), ['\r\nx\r\n']);
  startRequest(pieces);
  assert.deepEqual(piecesOf(pieces, '\r\nx', `${HEAD}\r\nx`), ['\r\nx', HEAD, '\r\nx']);
});

test('empty lines before a request are counted, and only those', () => {
  const pieces = new Pieces();
  const count = (bytes: string) => [pieces.hasBegun, pieces.emptyLines(Buffer.from(bytes))];
  for (const [bytes, length] of [['\r\n\n\rGET', 4], ['GET\r\n', 0], ['\r\n', 2], ['', 0]] as const) {
    assert.deepEqual(count(bytes), [false, length]);
  }
  pieces.take(Buffer.from('GET'));
  begin(pieces, 1);
  assert.deepEqual(count('\r\n'), [true, 0]);
  startRequest(pieces);
  assert.deepEqual(count('\r\n'), [false, 2]);
});

test('no piece is empty, even if content goes on after its length', () => {
  const pieces = new Pieces();
  begin(pieces, 0);
  assert.equal(pieces.take(Buffer.from('x')), 1);
});

test('a request is over when it is answered and has passed, whichever comes first', () => {
  for (const isAnsweredFirst of [true, false]) {
    const pieces = new Pieces();
    const before = pieces.since;
    pieces.take(Buffer.from(HEAD));
    const request = begin(pieces, 1);
    const began = pieces.since;
    if (isAnsweredFirst) pieces.answer();
    assert.deepEqual([pieces.isComplete, pieces.hasBegun, began > before], [false, true, true]);
    pieces.take(Buffer.from('x'));
    request.complete = true;
    assert.deepEqual([pieces.isComplete, pieces.hasBegun, pieces.since], [true, true, began]);
    if (isAnsweredFirst) pieces.endRequest();
    else pieces.answer();
    assert.deepEqual([pieces.isComplete, pieces.hasBegun, pieces.since > began], [false, false, true]);
  }
});
