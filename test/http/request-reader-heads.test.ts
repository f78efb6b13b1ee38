// The heads of requests as bytes, however they are divided into pieces.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SIZE_LIMITS } from '../../src/http/limits.ts';
import { RequestReader } from '../../src/http/request-reader.ts';
import { cutsOf } from '../support/divisions.ts';
import { movedBytes } from '../support/moved-bytes.ts';
import { PARENT, said, type Said } from '../support/said.ts';

const bytesOf = (text: string) => Buffer.from(text, 'latin1');
const head = (...lines: readonly string[]) => [...lines, '', ''].join('\r\n');

type Reading = {
  readonly result: Said | undefined;
  /** How many bytes have been read. */
  readonly length: number;
};

/** What is known when these pieces have been read, or as many of them as it takes to know the result. */
function readHead(pieces: readonly string[]): Reading {
  const reader = new RequestReader(() => true);
  let result: ReturnType<RequestReader['read']>;
  let length = 0;
  for (const piece of pieces) {
    if (result !== undefined) break;
    const bytes = bytesOf(piece);
    result = reader.read(bytes) ?? reader.request;
    length += reader.end;
    bytes.fill('?'); // the bytes of a piece may be used for something else, as soon as it has been read
  }
  return { result: result && said(result), length };
}

/** The same result for every cut. */
function assertHead(text: string, result: Said | undefined, length = text.length): void {
  for (const pieces of cutsOf(text)) assert.deepEqual(readHead(pieces), { result, length }, JSON.stringify(pieces));
}

const legal: Said = { method: 'GET', path: '/a', query: '', host: 'a', contentLength: 0, isLast: false, trace: 'new' };
const refused = (status: number): Said => ({ status, method: 'GET', path: '/a', trace: 'new' });
const unknown = (status: number): Said => ({ status, method: undefined, path: undefined, trace: undefined });

for (const [text, result] of [
  [head('GET /a HTTP/1.1', 'Host: a'), legal],
  [head('GET /a HTTP/1.1', 'host:a'), legal],
  [head('GET /a HTTP/1.0'), { ...legal, host: undefined, isLast: true }],
  [head('DELETE /a?b HTTP/1.1', 'Host: a:80', 'X:'), { ...legal, method: 'DELETE', query: 'b', host: 'a:80' }],
  [head('GET /a HTTP/1.1', 'Host: a', 'Content-Length: \t5\t '), { ...legal, contentLength: 5 }],
  [head('PUT /a HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked'), { ...legal, method: 'PUT', contentLength: undefined }],
  [head('GET http://A/a HTTP/1.1', 'Host: a', 'Connection: close'), { ...legal, isLast: true }],
  [head('GET /a HTTP/1.1', `traceparent: ${PARENT}`, 'Host: a', 'X: \t ~\xe9: b'), { ...legal, trace: 'child' }],
  [`\r\n\r\n${head('GET /a HTTP/1.1', 'Host: a')}`, legal],
  [`\n\r\r\n\n${head('GET /a HTTP/1.1', 'Host: a')}`, legal],
] as const) {
  test(`${JSON.stringify(text)} is a request, however it is cut, and nothing behind it is read`, () => {
    assertHead(text, result);
    if (result.contentLength !== 0) return;
    assertHead(`${text}\0GET`, result, text.length);
    assertHead(`${text}\r\n\r\n`, result, text.length);
  });
}

const line = 'GET /a HTTP/1.1\r\n';
for (const [text, result] of [
  // In the request line: nothing is known.
  ['\0', unknown(400)],
  ['GET /a\0', unknown(400)],
  ['GET /a HTTP/1.1\n', unknown(400)],
  ['GET /a HTTP/1.1\r\r', unknown(400)],
  ['GET  /a HTTP/1.1\r\n', unknown(400)],
  [' GET /a HTTP/1.1\r\n', unknown(400)],
  ['\t\r\n', unknown(400)],
  ['G(T /a HTTP/1.1\r\n', unknown(400)],
  ['\x16', unknown(400)], // TLS
  // Of an illegal target, and of another version: the method and the path, and a new trace.
  ['GET /a#b HTTP/1.1\r\n', refused(400)],
  ['GET /a?b HTTP/2.0\r\n', refused(505)],
  ['PRI * HTTP/2.0\r\n', { ...refused(505), method: 'PRI', path: '' }],
  // In the fields: the method and the path, and a new trace.
  [`${line}\0`, refused(400)],
  [`${line}\n`, refused(400)],
  [`${line}X: a\n`, refused(400)],
  [`${line}X: a\0`, refused(400)],
  [`${line}X: a\rb`, refused(400)],
  [`${line}X: a\x7f`, refused(400)],
  [`${line}X\r\n`, refused(400)],
  [`${line}X : a\r\n`, refused(400)],
  [`${line}: a\r\n`, refused(400)],
  [`${line} X: a\r\n`, refused(400)],
  [`${line}\tX: a\r\n`, refused(400)],
  [`${line}X: a\r\n folded\r\n`, refused(400)],
  [`${line}traceparent: ${PARENT}\r\nX\r\n`, { ...refused(400), trace: 'child' }],
  [`${line}traceparent: ${PARENT}\r\ntraceparent: ${PARENT}\r\nX\r\n`, refused(400)],
  [`GET /a?name=Ada HTTP/1.1\r\nX\r\n`, refused(400)],
  // In the whole head.
  [`${line}\r\n`, refused(400)],
  [`${line}Host: a\r\nHost: a\r\n\r\n`, refused(400)],
  [`${line}Host: a b\r\ntraceparent: ${PARENT}\r\n\r\n`, { ...refused(400), trace: 'child' }],
  [`${line}Host: a\r\nExpect: tea\r\n\r\n`, refused(417)],
  [`${line}Host: a\r\nContent-Length: 65537\r\n\r\n`, refused(413)],
] as const) {
  test(`${JSON.stringify(text)} is refused with ${result.status} at its last byte, however it is cut`, () => {
    for (const pieces of cutsOf(text)) assert.deepEqual(readHead(pieces).result, result, JSON.stringify(pieces));
    for (const pieces of cutsOf(`${text}\r\n\r\n`)) assert.deepEqual(readHead(pieces).result, result, JSON.stringify(pieces));
    assert.equal(readHead([text.slice(0, -1)]).result, undefined);
  });
}

test('a request has begun with its first byte, and not with empty lines', () => {
  const reader = new RequestReader(() => true);
  for (const [piece, hasBegun] of [
    ['', false], ['\r', false], ['\n\r\n\n', false], ['G', true], ['', true], ['ET /a HTTP/1.1\r\n', true],
  ] as const) {
    assert.equal(reader.read(bytesOf(piece)), undefined);
    assert.equal(reader.end, piece.length);
    assert.equal(reader.hasBegun, hasBegun, JSON.stringify(piece));
  }
});

test('what is not whole can be refused, with what is known of it', () => {
  const reader = new RequestReader(() => true);
  for (const [piece, refusal] of [
    ['', unknown(408)],
    ['\r\n', unknown(408)],
    ['GET /a?name=Ada HTTP/1.1\r', unknown(408)],
    ['\n', refused(408)],
    [`Host: a\r\ntraceparent: ${PARENT}\r\n`, { ...refused(408), trace: 'child' }],
  ] as const) {
    assert.equal(reader.read(bytesOf(piece)), undefined);
    assert.deepEqual(said(reader.refusal(408)), refusal, JSON.stringify(piece));
  }
});

test('the host of a request must be allowed', () => {
  for (const host of ['a', 'b']) {
    const reader = new RequestReader((name) => name === 'a');
    const result = reader.read(bytesOf(head('GET /a HTTP/1.1', `Host: ${host}`)));
    assert.deepEqual(result && said(result), host === 'a' ? legal : refused(421));
  }
});

describe('a head has less than 16 KiB, with the empty lines in front of it', () => {
  const room = SIZE_LIMITS.headBytes - 1;
  const start = 'GET /a HTTP/1.1\r\nHost: a\r\nX: ';
  const emptyLines = (length: number) => '\r'.repeat(length);
  const pieces = (text: string) => [[text], text.split(''), [text.slice(0, 9_000), text.slice(9_000)], [text.slice(0, -1), text.slice(-1)]];
  const results = (text: string) => pieces(text).map((each) => readHead(each).result);
  const four = (result: Said | undefined) => Array.from({ length: 4 }, () => result);

  test('which is 16384 bytes', () => {
    assert.equal(SIZE_LIMITS.headBytes, 16_384);
  });

  test('its last line ends within them, or is refused with 431', () => {
    const ending = (length: number) => `${start.padEnd(length - 4, 'x')}\r\n\r\n`;
    assert.deepEqual(results(ending(room)), four(legal));
    assert.deepEqual(results(ending(room + 1)), four(refused(431)));
    assert.deepEqual(results(ending(room + 1).slice(0, -1)), four(refused(431)));
    assert.deepEqual(results(ending(room + 1).slice(0, -2)), four(undefined));
  });

  test('any line ends within them, or is refused with 431', () => {
    const line = (length: number) => `${start.padEnd(length - 2, 'x')}\r\n`;
    assert.deepEqual(results(line(room)), four(undefined));
    assert.deepEqual(results(`${line(room)}\r`), four(refused(431)));
    assert.deepEqual(results(start.padEnd(room - 2, 'x')), four(undefined));
    assert.deepEqual(results(start.padEnd(room - 1, 'x')), four(refused(431)));
    assert.deepEqual(results(`${start.padEnd(room - 2, 'x')}\0`), four(refused(400)));
    assert.deepEqual(results(`${start.padEnd(room - 1, 'x')}\0`), four(refused(431)));
  });

  test('a request line ends within them, or is refused with 414', () => {
    const line = (length: number) => `${`GET /a?`.padEnd(length - ' HTTP/1.1\r\n'.length, 'x')} HTTP/1.1\r\n`;
    assert.deepEqual(results(line(room)), four(undefined));
    assert.deepEqual(results(`${line(room)}\r\n`), four(refused(431)));
    assert.deepEqual(results(line(room + 1)), four(unknown(414)));
    assert.deepEqual(results('x'.repeat(room - 2)), four(undefined));
    assert.deepEqual(results('x'.repeat(room - 1)), four(unknown(414)));
    assert.deepEqual(results(`${'x'.repeat(room - 2)}\0`), four(unknown(400)));
  });

  test('empty lines in front count', () => {
    const text = head('GET /a HTTP/1.1', 'Host: a');
    assert.deepEqual(results(emptyLines(room - text.length) + text), four(legal));
    assert.deepEqual(results(emptyLines(room - text.length + 1) + text), four(refused(431)));
    assert.deepEqual(results(emptyLines(room - 1)), four(undefined));
    assert.deepEqual(results(`${emptyLines(room - 1)}G`), four(unknown(414)));
    assert.deepEqual(results(emptyLines(room)), four(undefined));
    assert.deepEqual(results(emptyLines(room + 1)), four(unknown(414)));
  });
});

test('100 field lines are legal, and one more is refused with 431', () => {
  assert.equal(SIZE_LIMITS.fieldLines, 100);
  const lines = (count: number) => ['Host: a', ...Array.from({ length: count - 1 }, () => 'X: y')];
  assertHead(head('GET /a HTTP/1.1', ...lines(100)), legal);
  const tooMany = head('GET /a HTTP/1.1', ...lines(101)).slice(0, -2);
  assertHead(tooMany, refused(431));
  assertHead(tooMany.replace(/X: y\r\n$/, 'no field\r\n'), refused(431));
  assert.equal(readHead([tooMany.slice(0, -1)]).result, undefined);
});

test('the work for a head that arrives byte by byte grows with its length, and not with the square of it', (t) => {
  const lines = (length: number) => Array.from({ length: 90 }, () => `X: ${'x'.repeat(length / 100)}`);
  const many = (length: number) => head('GET /a HTTP/1.1', 'Host: a', ...lines(length));
  const one = (length: number) => head('GET /a HTTP/1.1', 'Host: a', `X: ${'x'.repeat(length)}`);
  for (const text of [1_000, 4_000].flatMap((length) => [many(length), one(length)])) {
    const moved = movedBytes(t, () => {
      const reader = new RequestReader(() => true);
      const bytes = bytesOf(text);
      const results = Array.from(bytes, (_, at) => reader.read(bytes.subarray(at, at + 1))).filter((result) => result !== undefined);
      assert.deepEqual(results.map(said), [legal]);
    });
    assert.ok(moved < 8 * text.length, `${moved} bytes are moved for ${text.length}`);
  }
});
