// The requests of a connection as bytes, however they are divided into pieces.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RequestReader } from '../../src/http/request-reader.ts';
import { Refusal } from '../../src/http/refusal.ts';
import { cutsOf } from '../support/divisions.ts';
import { PARENT, said, type Said } from '../support/said.ts';

const bytesOf = (text: string) => Buffer.from(text, 'latin1');
const head = (...lines: readonly string[]) => [...lines, '', ''].join('\r\n');
const post = (...fields: readonly string[]) => head('POST /a?b HTTP/1.1', 'Host: a', ...fields);

type Read = {
  readonly said: Said;
  /** How many bytes there are up to its end. A refusal has none. */
  readonly end: number | undefined;
};

/** The requests in these pieces, up to a refusal. */
function readAll(pieces: readonly string[]): Read[] {
  const reader = new RequestReader(() => true);
  const read: Read[] = [];
  let before = 0;
  for (const piece of pieces) {
    const bytes = bytesOf(piece);
    for (let at = 0; at < bytes.length; at += reader.end) {
      const result = reader.read(bytes.subarray(at));
      if (result === undefined) break;
      if (result instanceof Refusal) return [...read, { said: said(result), end: undefined }];
      read.push({ said: said(result), end: before + at + reader.end });
    }
    bytes.fill('?'); // the bytes of a piece may be used for something else, as soon as it has been read
    before += piece.length;
  }
  return read;
}

const legal: Said = { method: 'POST', path: '/a', query: 'b', host: 'a', contentLength: 0, isLast: false, trace: 'new' };
const refused = (status: number): Said => ({ status, method: 'POST', path: '/a', trace: 'new' });
const unknown = (status: number): Said => ({ status, method: undefined, path: undefined, trace: undefined });

const chunkedChild = post('Transfer-Encoding: chunked', `traceparent: ${PARENT}`);

const requests: readonly (readonly [text: string, said: Said])[] = [
  [post(), legal],
  [`\r\n${post('Content-Length: 0')}`, legal],
  [`${post('Content-Length: 1')}\0`, { ...legal, contentLength: 1 }],
  [`${post('Content-Length: 20', 'Connection: close')}GET / HTTP/1.1\r\n\r\n\r\n`, { ...legal, contentLength: 20, isLast: true }],
  [`${post('Transfer-Encoding: chunked')}0\r\n\r\n`, { ...legal, contentLength: undefined }],
  [`${chunkedChild}1;a\r\nx\r\n0\r\nHost: b\r\n\r\n`, { ...legal, contentLength: undefined, trace: 'child' }],
  [post('Content-Length: 5', 'Expect: 100-continue'), { ...legal, isLast: true }],
  [post('Expect: 100-continue'), legal],
  [`${head('POST http://a/a?b HTTP/1.0', 'Content-Length: 2')}ab`, { ...legal, contentLength: 2, isLast: true }],
];

for (const [text, expected] of requests) {
  test(`${JSON.stringify(text)} is a request with its last byte, however it is cut`, () => {
    for (const pieces of cutsOf(text)) assert.deepEqual(readAll(pieces), [{ said: expected, end: text.length }], JSON.stringify(pieces));
    for (let length = 0; length < text.length; length += 1) assert.deepEqual(readAll([text.slice(0, length)]), []);
  });
}

test('requests are read one after the other, and nothing of one becomes a part of the next', () => {
  const texts = requests.map(([text]) => text);
  const expected = requests.map(([, each], i) => ({ said: each, end: texts.slice(0, i + 1).join('').length }));
  for (const pieces of cutsOf(texts.join(''))) assert.deepEqual(readAll(pieces), expected);
  for (const [text, each] of requests) {
    const read = [{ said: each, end: text.length }, { said: { ...refused(400), method: 'PUT', path: '/c' }, end: undefined }];
    for (const pieces of cutsOf(text + head('PUT /c HTTP/1.1'))) assert.deepEqual(readAll(pieces), read, JSON.stringify(pieces));
  }
});

describe('a refusal is the same, however the bytes are cut, also behind a request', () => {
  for (const [text, expected] of [
    ['\0', unknown(400)],
    ['POST  /a HTTP/1.1\r\n', unknown(400)],
    ['POST /a# HTTP/1.1\r\n', refused(400)],
    ['POST /a HTTP/1.1\r\n\r\n', refused(400)],
    [post('Content-Length: 5', `traceparent: ${PARENT}`, 'Transfer-Encoding: chunked'), { ...refused(400), trace: 'child' }],
    [`${post('Transfer-Encoding: chunked')}x\r\n`, refused(400)],
    [`${chunkedChild}1\r\nxy\r`, { ...refused(400), trace: 'child' }],
    [`${post('Transfer-Encoding: chunked')}0\r\n x\r\n`, refused(400)],
    [post('Content-Length: 65537'), refused(413)],
    [`${chunkedChild}10001\r\n`, { ...refused(413), trace: 'child' }],
    [post('Expect: tea'), refused(417)],
    [post(...Array.from({ length: 100 }, () => 'X:')), refused(431)],
    [head('CONNECT a:80 HTTP/1.1', 'Host: a'), { ...refused(501), method: 'CONNECT', path: 'a:80' }],
    ['POST /a HTTP/2.0\r\n', refused(505)],
  ] as const) {
    test(`with ${expected.status}: ${JSON.stringify(text.slice(0, 150))}`, () => {
      for (const pieces of cutsOf(text)) assert.deepEqual(readAll(pieces), [{ said: expected, end: undefined }], JSON.stringify(pieces));
      const first = `${post('Content-Length: 3')}abc`;
      const read = [{ said: { ...legal, contentLength: 3 }, end: first.length }, { said: expected, end: undefined }];
      for (const pieces of cutsOf(first + text)) assert.deepEqual(readAll(pieces), read, JSON.stringify(pieces));
    });
  }

  test('and of long ones', () => {
    const trailers = `${post('Transfer-Encoding: chunked')}0\r\nX: ${'x'.repeat(16_384)}`;
    for (const [text, expected] of [
      [`POST /${'a'.repeat(16_384)}`, unknown(414)],
      [`POST /a HTTP/1.1\r\nX: ${'x'.repeat(16_384)}`, refused(431)],
      [trailers, refused(431)],
    ] as const) {
      for (const pieces of [[text], text.split(''), [text.slice(0, 9_000), text.slice(9_000)]]) {
        assert.deepEqual(readAll(pieces), [{ said: expected, end: undefined }]);
      }
    }
  });
});

test('the host of each request must be allowed', () => {
  const reader = new RequestReader((host) => host === 'a');
  for (const host of ['a', 'b']) {
    const result = reader.read(bytesOf(head('POST /a?b HTTP/1.1', `Host: ${host}`)));
    assert.deepEqual(result && said(result), host === 'a' ? legal : refused(421));
  }
});

/** What is known of the present request. */
function known(reader: RequestReader) {
  return { hasBegun: reader.hasBegun, request: reader.request && said(reader.request), refusal: said(reader.refusal(408)) };
}

test('what is known of a request grows with its bytes, and nothing is known of the next one', () => {
  const reader = new RequestReader(() => true);
  const nothing = { hasBegun: false, request: undefined, refusal: unknown(408) };
  const child = { ...legal, trace: 'child' } as const;
  const sized = { hasBegun: true, request: { ...child, contentLength: 4 }, refusal: { ...refused(408), trace: 'child' } };
  const chunked = { ...sized, request: { ...child, contentLength: undefined } };
  for (const [piece, result, expected] of [
    ['', undefined, nothing],
    ['\r\n', undefined, nothing],
    ['P', undefined, { hasBegun: true, request: undefined, refusal: unknown(408) }],
    ['OST /a?b HTTP/1.1\r\n', undefined, { hasBegun: true, request: undefined, refusal: refused(408) }],
    [`traceparent: ${PARENT}\r\n`, undefined, { hasBegun: true, request: undefined, refusal: { ...refused(408), trace: 'child' } }],
    ['Host: a\r\nContent-Length: 4\r\n\r', undefined, { hasBegun: true, request: undefined, refusal: { ...refused(408), trace: 'child' } }],
    ['\n', undefined, sized],
    ['abc', undefined, sized],
    ['d', sized.request, nothing],
    ['\r\n', undefined, nothing],
    [chunkedChild, undefined, chunked],
    ['0\r\n\r', undefined, chunked],
    ['\n', chunked.request, nothing],
    [post(), legal, nothing],
    ['G', undefined, { hasBegun: true, request: undefined, refusal: unknown(408) }],
  ] as const) {
    const read = reader.read(bytesOf(piece));
    assert.deepEqual([read && said(read), known(reader)], [result, expected], JSON.stringify(piece));
    assert.equal(reader.end, piece.length, JSON.stringify(piece));
  }
});

test('a request is one object with one trace, from its head to its end, and its refusal has the same trace', () => {
  const reader = new RequestReader(() => true);
  assert.equal(reader.read(bytesOf(post('Transfer-Encoding: chunked'))), undefined);
  const { request } = reader;
  assert.equal(reader.refusal(408).traceparent, request?.traceparent);
  assert.equal(reader.read(bytesOf('0\r\n\r\nG')), request);
  assert.equal(reader.end, 5);

  const other = new RequestReader(() => true);
  other.read(bytesOf(post('Transfer-Encoding: chunked')));
  const traceparent = other.request?.traceparent;
  const refusal = other.read(bytesOf('x\r\n'));
  assert.deepEqual(refusal, new Refusal(400, { method: 'POST', path: '/a', traceparent }));
});

test('before anything is read, a request ends at 0', () => {
  assert.equal(new RequestReader(() => true).end, 0);
});
