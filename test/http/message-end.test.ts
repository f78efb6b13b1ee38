// Where a piece ends, however the bytes are divided into reads. No socket is needed for that.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PieceFinder, skipEmptyLines } from '../../src/http/message-end.ts';

/** The pieces of these reads, in turn. A piece that goes on in the next read ends with its read. */
function piecesOf(reads: readonly string[], finder = new PieceFinder()): string[] {
  const pieces: string[] = [];
  for (const read of reads) {
    let rest = Buffer.from(read, 'latin1');
    do {
      const end = finder.endIn(rest);
      assert.ok(end > 0 || rest.length === 0, 'each call goes on');
      pieces.push(rest.toString('latin1', 0, end));
      rest = rest.subarray(end);
    } while (rest.length > 0);
  }
  return pieces;
}

/** Every way to divide `text` into reads of at least one byte. */
function divisions(text: string): string[][] {
  if (text.length < 2) return [[text]];
  const first = text.slice(0, 1);
  return divisions(text.slice(1)).flatMap(([next = '', ...others]) => [[first, next, ...others], [first + next, ...others]]);
}

/** The offset behind each of `parts`. */
function endsOf(parts: readonly string[]): number[] {
  let end = 0;
  return parts.map((part) => (end += part.length));
}

describe('a piece ends behind CR LF CR LF', () => {
  test('in one read with two messages', () => {
    assert.deepEqual(piecesOf(['GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\n\r\nGE']), ['GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'GET /b HTTP/1.1\r\n\r\n', 'GE']);
  });

  // Every division into reads, so every cut inside the four bytes, also into single bytes.
  for (const text of [
    'a\r\n\r\nb',
    'a\r\n\r\n\r\n\r\nb',
    'a\r\r\n\r\nb',
    'a\r\n\n\r\n\r\nb',
    'a\r\n\r\r\n\r\nb',
    '\r\n\r\n\r\n',
    'ab\r\nc\r\n\r\nd',
    'a\r\r\n\nb',
    'a\n\r\n\rb',
    'a\r\n\rb\nc',
    'a\r\n\r\rb\r\n',
  ]) {
    test(`in ${JSON.stringify(text)}, however it is divided into reads`, () => {
      const emptyLines = Array.from(text.matchAll(/\r\n\r\n/g), ({ index }) => index + 4);
      for (const reads of divisions(text)) {
        const pieces = piecesOf(reads);
        assert.equal(pieces.join(''), text);
        assert.deepEqual(new Set(endsOf(pieces)), new Set([...endsOf(reads), ...emptyLines]), JSON.stringify(reads));
      }
    });
  }

  test('behind any number of any bytes but CR', () => {
    for (let length = 1; length < 9; length += 1) {
      for (let byte = 0; byte < 256; byte += 1) {
        if (byte === 13) continue;
        const before = String.fromCharCode(byte).repeat(length);
        assert.deepEqual(piecesOf([`${before}\r\n\r\n${before}`]), [`${before}\r\n\r\n`, before]);
      }
    }
  });

  test('and four bytes that end a piece begin no second one', () => {
    assert.deepEqual(piecesOf(['a\r\n\r', '\n\r\nb\r\n\r\nc']), ['a\r\n\r', '\n', '\r\nb\r\n\r\n', 'c']);
    assert.deepEqual(piecesOf(['a\r\n\r\n', '\r\nb']), ['a\r\n\r\n', '\r\nb']);
  });

  test('in a read of 64 KiB that ends inside the four bytes', () => {
    const line = 'x'.repeat(65_533);
    for (let cut = 0; cut <= 4; cut += 1) {
      const [before, behind] = ['\r\n\r\n'.slice(0, cut), '\r\n\r\n'.slice(cut)];
      assert.deepEqual(piecesOf([line + before, `${behind}GET`]).filter((piece) => piece !== ''), [line + before, ...(behind === '' ? [] : [behind]), 'GET']);
    }
  });

  test('and no read has an end where nothing was read', () => {
    assert.equal(new PieceFinder().endIn(Buffer.alloc(0)), 0);
  });
});

describe('content with a length', () => {
  function afterHead(length: number): PieceFinder {
    const finder = new PieceFinder();
    piecesOf(['POST / HTTP/1.1\r\n\r\n'], finder);
    finder.expectContent(length);
    return finder;
  }

  test('is a piece of exactly its bytes, in which nothing is searched', () => {
    assert.deepEqual(piecesOf(['\r\n\r\nabGET\r\n\r\nx'], afterHead(6)), ['\r\n\r\nab', 'GET\r\n\r\n', 'x']);
    assert.deepEqual(piecesOf(['\r\n\r\n\r\n\r\n\r\n\r\n'], afterHead(9)), ['\r\n\r\n\r\n\r\n\r', '\n\r\n']);
  });

  test('ends after its bytes in any reads', () => {
    for (const reads of divisions('\r\n\r\n\r\n')) {
      const pieces = piecesOf([...reads, 'G\r\n\r\nE'], afterHead(5));
      assert.ok(endsOf(pieces).includes(5), JSON.stringify(reads));
      assert.deepEqual(pieces.slice(-2), ['G\r\n\r\n', 'E']);
    }
  });

  test('begins no CR LF CR LF of the next head', () => {
    assert.deepEqual(piecesOf(['\r\n\rx', '\n\r\n\r\nG'], afterHead(4)), ['\r\n\rx', '\n\r\n\r\n', 'G']);
    assert.deepEqual(piecesOf(['a\r\n\r', '\nb\r\n\r\nc'], afterHead(4)), ['a\r\n\r', '\nb\r\n\r\n', 'c']);
  });

  test('of no bytes is no piece', () => {
    assert.deepEqual(piecesOf(['GET\r\n\r\nx'], afterHead(0)), ['GET\r\n\r\n', 'x']);
  });
});

test('chunked content ends with the piece that ends its trailers, and chunks may make more pieces', () => {
  const head = 'POST / HTTP/1.1\r\n\r\n';
  assert.deepEqual(piecesOf([`${head}3\r\nabc\r\n0\r\n\r\nGET`]), [head, '3\r\nabc\r\n0\r\n\r\n', 'GET']);
  assert.deepEqual(piecesOf([`${head}3\r\nabc\r\n0\r\nX: y\r\n\r\nGET`]), [head, '3\r\nabc\r\n0\r\nX: y\r\n\r\n', 'GET']);
  assert.deepEqual(piecesOf([`${head}4\r\n\r\n\r\n\r\n0\r\n\r\nGET`]), [head, '4\r\n\r\n', '\r\n\r\n', '0\r\n\r\n', 'GET']);
});

test('empty lines in front of a request are skipped, and nothing else', () => {
  for (const [bytes, rest] of [['', ''], ['\r\n', ''], ['\r\n\r\n\n\rGET \r\n\r\n', 'GET \r\n\r\n'], ['GET', 'GET'], [' \r\nGET', ' \r\nGET'], ['\0\r\n', '\0\r\n']] as const) {
    assert.equal(skipEmptyLines(Buffer.from(bytes)).toString(), rest);
  }
});
