// The requests of a connection as bytes, however they are divided into pieces: those of the corpus, what is known of a request, and sizes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceparentOf, type LegalRequest, type Refusal } from '../../src/http/messages.ts';
import { REFUSALS, type Reason } from '../../src/http/refusals.ts';
import { RequestReader } from '../../src/http/request-reader.ts';
import { head, type Entry } from '../support/corpus/entry.ts';
import { last } from '../support/corpus/last.ts';
import { served } from '../support/corpus/served.ts';
import { cutsOf } from '../support/cuts.ts';

const bytesOf = (text: string) => Buffer.from(text, 'latin1');
const post = (...fields: readonly string[]) => head('POST /a?b HTTP/1.1', 'Host: a', ...fields);

/** A `traceparent`, with the sampled flag. */
const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const CHILD = /^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7|0{16})[0-9a-f]{16}-01$/;
const NEW = /^00-(?!4bf92f3577b34da6a3ce929d0e0e4736|0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-00$/;

/** `trace`: 'child' when `PARENT` has been taken over, 'new' when there is a new trace. */
type Said = { readonly [name in 'method' | 'path' | 'query' | 'host' | 'trace']?: string | undefined }
  & { readonly reason?: Reason; readonly contentLength?: number | undefined; readonly isLast?: boolean };

// What a request or its refusal says, as a plain value that can be compared.
function said(result: LegalRequest | Refusal): Said {
  const request = 'reason' in result ? result.request : result, { method, path } = request;
  const trace = method === undefined ? undefined : traceparentOf(request).replace(CHILD, 'child').replace(NEW, 'new');
  if ('reason' in result) return { method, path, trace, reason: result.reason };
  const { query, host, contentLength, isLast } = result;
  return { method, path, trace, query, host, contentLength, isLast };
}

type Read = { readonly said: Said; readonly end?: number };

/** The requests in these pieces, each with the number of bytes up to its end; and the refusal, if there is one. */
function readAll(pieces: readonly string[]): Read[] {
  const reader = new RequestReader((_host, isHttps) => (isHttps ? 'httpsWithoutTls' : undefined));
  const read: Read[] = [];
  let before = 0;
  for (const piece of pieces) {
    const bytes = bytesOf(piece);
    for (let at = 0; at < bytes.length; at += reader.end) {
      const result = reader.read(bytes.subarray(at));
      if (result === undefined) break;
      if ('reason' in result) return [...read, { said: said(result) }];
      read.push({ said: said(result), end: before + at + reader.end });
    }
    bytes.fill('?'); // the bytes of a piece may be used for something else, as soon as it has been read
    before += piece.length;
  }
  return read;
}

/** Whole, byte by byte (long ones are below), and cut once near each of the first and last lines' ends. */
function waysToCut(text: string): string[][] {
  const lineEnds = Array.from(text.matchAll(/\n/g), ({ index }) => index);
  const near = [...lineEnds.slice(0, 3), ...lineEnds.slice(-3)].flatMap((end) => [end - 1, end, end + 1]);
  return [[text], ...(text.length < 1_000 ? [text.split('')] : []), ...near.map((at) => [text.slice(0, at), text.slice(at)])];
}

const PROBE = 'GET /probe HTTP/1.1\r\nHost: a\r\n\r\n';

/** What must be read of an entry and the probe after it, up to a request that is the last or refused. */
function outcomeOf({ bytes, statuses, closes }: Entry, reason: Reason | undefined): string[] {
  const results: string[] = statuses.map(() => 'request');
  return closes ? results.with(-1, reason ?? 'last request') : [...results, `probe at ${bytes.length}`];
}

function outcomeIn(pieces: readonly string[]): string[] {
  const all = readAll(pieces);
  const lastAt = all.findIndex(({ said: { isLast } }) => isLast === true);
  const ends = all.map(({ end }) => end ?? 0);
  return all.slice(0, lastAt === -1 ? all.length : lastAt + 1).map(({ said: { reason, path, isLast } }, i) =>
    reason ?? (isLast === true ? 'last request' : path === '/probe' ? `probe at ${ends[i - 1]}` : 'request'));
}

for (const { says, reason, entries } of [...served('a'), ...last('a')]) {
  test(`${reason === undefined ? 'served' : 'refused'}, however the bytes are cut: ${says}`, () => {
    for (const entry of entries) {
      for (const pieces of waysToCut(entry.bytes + PROBE)) {
        assert.deepEqual(outcomeIn(pieces), outcomeOf(entry, reason), `${entry.says} ${pieces[0]?.length}`);
      }
    }
  });
}

test('the corpus tries each rule, except those that need more than the bytes of a request', () => {
  const others: readonly Reason[] = ['hostNotAllowed', 'redirectWithoutHost', 'headTooSlow', 'requestTooSlow', 'cutShort', 'nodeParser'];
  assert.deepEqual([...last('a').flatMap(({ reason }) => reason ?? []), ...others].sort(), Object.keys(REFUSALS).sort());
});

const legal: Said = { method: 'POST', path: '/a', query: 'b', host: 'a', contentLength: 0, isLast: false, trace: 'new' };
const refused = (reason: Reason, path = '/a'): Said => ({ reason, method: 'POST', path, trace: 'new' });
const unknown = (reason: Reason): Said => ({ reason, method: undefined, path: undefined, trace: undefined });
const chunkedChild = post('Transfer-Encoding: chunked', `traceparent: ${PARENT}`);

const requests: readonly (readonly [text: string, said: Said])[] = [
  [post(), legal],
  [`\n\r\r\n${post('Content-Length: 0')}`, legal],
  [`${post('Content-Length: 1')}\0`, { ...legal, contentLength: 1 }],
  [`${post('Content-Length: 20', 'Connection: close')}GET / HTTP/1.1\r\n\r\n\r\n`, { ...legal, contentLength: 20, isLast: true }],
  [`${post('Transfer-Encoding: chunked')}0\r\n\r\n`, { ...legal, contentLength: undefined }],
  [`${chunkedChild}1;a\r\nx\r\n0\r\nX: b\r\n\r\n`, { ...legal, contentLength: undefined, trace: 'child' }],
  [post('Content-Length: 5', 'Expect: 100-continue'), { ...legal, isLast: true }],
  [`${head('POST http://a/a?b HTTP/1.0', 'Content-Length: 2')}ab`, { ...legal, contentLength: 2, isLast: true }],
  [head('POST /a HTTP/1.0'), { ...legal, query: '', host: undefined, isLast: true }],
];

test('a request is complete with its last byte, however it is cut, and nothing of it becomes a part of the next one', () => {
  const illegal = { said: { ...refused('hostMissing', '/c'), method: 'PUT' } };
  for (const [text, expected] of requests) {
    const read = { said: expected, end: text.length };
    for (const pieces of cutsOf(text)) assert.deepEqual(readAll(pieces), [read], JSON.stringify(pieces));
    for (let length = 0; length < text.length; length += 1) assert.deepEqual(readAll([text.slice(0, length)]), []);
    for (const pieces of cutsOf(text + head('PUT /c HTTP/1.1'))) assert.deepEqual(readAll(pieces), [read, illegal], JSON.stringify(pieces));
  }
});

test('a refusal comes with the first byte that decides it, however the bytes are cut, and says what is known', () => {
  const line = 'POST /a?b HTTP/1.1\r\n';
  const child = (reason: Reason): Said => ({ ...refused(reason), trace: 'child' });
  for (const [text, expected] of [
    ['\0', unknown('controlCharacter')],
    ['POST  /a HTTP/1.1\r\n', unknown('requestLineForm')],
    ['POST /a?b HTTP/2.0\r\n', refused('versionUnsupported')],
    ['POST http://user:secret@a?name=Ada#/b HTTP/1.1\r\n', refused('targetCharacter', '')],
    [`${line}X: a\0`, refused('controlCharacter')],
    [`${line}traceparent: ${PARENT}\r\nX\r\n`, child('fieldLine')],
    [`${line}traceparent: ${PARENT}\r\ntraceparent: ${PARENT}\r\nX\r\n`, refused('fieldLine')],
    [`${line}${'X: y\r\n'.repeat(100)}no field\r\n`, refused('tooManyFieldLines')],
    [post('Content-Length: 5', `traceparent: ${PARENT}`, 'Transfer-Encoding: chunked'), child('lengthAndCoding')],
    [head('POST https://a/a HTTP/1.1', 'Host: a'), refused('httpsWithoutTls')],
    ['CONNECT a:80 HTTP/1.1\r\n', { ...refused('connectUnsupported', ''), method: 'CONNECT' }],
    [`${chunkedChild}x\r\n`, child('chunkSize')],
    [`${chunkedChild}1\r\nxy`, child('chunkData')],
    [`${chunkedChild}0\r\n x\r\n`, child('trailerLine')],
    [`${chunkedChild}10001\r\n`, child('contentTooLong')],
  ] as const) {
    for (const pieces of [...cutsOf(text), ...cutsOf(`${text}\r\n\r\n`)]) {
      assert.deepEqual(readAll(pieces), [{ said: expected }], JSON.stringify(pieces));
    }
    assert.deepEqual(readAll([text.slice(0, -1)]), [], text);
  }
});

test('what is known of a request grows with its bytes, and nothing is known of the next one', () => {
  const reader = new RequestReader(() => undefined);
  assert.equal(reader.end, 0);
  const nothing = { hasBegun: false, request: undefined, refusal: unknown('headTooSlow') };
  const begun = { ...nothing, hasBegun: true };
  const child = { ...legal, trace: 'child' } as const;
  const sized = { hasBegun: true, request: { ...child, contentLength: 4 }, refusal: { ...refused('headTooSlow'), trace: 'child' } };
  const chunked = { ...sized, request: { ...child, contentLength: undefined } };
  for (const [piece, result, expected] of [
    ['\r\n\r', undefined, nothing],
    ['\n', undefined, nothing],
    ['P', undefined, begun],
    ['', undefined, begun],
    ['OST /a?b HTTP/1.1\r\n', undefined, { ...begun, refusal: refused('headTooSlow') }],
    [`traceparent: ${PARENT}\r\n`, undefined, { ...begun, refusal: sized.refusal }],
    ['Host: a\r\nContent-Length: 4\r\n\r', undefined, { ...begun, refusal: sized.refusal }],
    ['\n', undefined, sized],
    ['abc', undefined, sized],
    ['d', sized.request, nothing],
    ['\r\n', undefined, nothing],
    [chunkedChild, undefined, chunked],
    ['0\r\n\r', undefined, chunked],
    ['\n', chunked.request, nothing],
    [post(), legal, nothing],
    ['G', undefined, begun],
  ] as const) {
    const read = reader.read(bytesOf(piece));
    const { hasBegun, request, end } = reader;
    const known = { hasBegun, request: request && said(request), refusal: said(reader.refusal('headTooSlow')) };
    assert.deepEqual([read && said(read), known, end], [result, expected, piece.length], JSON.stringify(piece));
  }
});

test('a request is one object with one trace, from its head to its end, and its refusal has the same trace', () => {
  const reader = new RequestReader(() => undefined);
  assert.equal(reader.read(bytesOf(post('Transfer-Encoding: chunked'))), undefined);
  const { request } = reader;
  assert.equal(reader.refusal('headTooSlow').request, request);
  assert.equal(reader.read(bytesOf('0\r\n\r\nG')), request);
  assert.equal(reader.end, 5);
});

const ROOM = 16_383;
const FIELD = 'POST /a HTTP/1.1\r\nHost: a\r\nX: ';
const REQUEST_LINE = `${'POST /a?'.padEnd(ROOM - ' HTTP/1.1\r\n'.length, 'x')} HTTP/1.1`;

// Each text: what it is with its last byte. Undefined: more is needed.
type Sized = readonly (readonly [what: string, text: string, result: Said | undefined])[];
const heads: Sized = [
  ['a head of 16,383 bytes', `${FIELD.padEnd(ROOM - 4, 'x')}\r\n\r\n`, { ...legal, query: '' }],
  ['a field that ends in time', `${FIELD.padEnd(ROOM - 2, 'x')}\r\n`, undefined],
  ['and the CR after it', `${FIELD.padEnd(ROOM - 2, 'x')}\r\n\r`, refused('headTooLong')],
  ['a field that cannot end in time', FIELD.padEnd(ROOM - 1, 'x'), refused('headTooLong')],
  ['an illegal byte in time', `${FIELD.padEnd(ROOM - 2, 'x')}\0`, refused('controlCharacter')],
  ['a request line that ends in time', `${REQUEST_LINE}\r\n`, undefined],
  ['and the CR after it', `${REQUEST_LINE}\r\n\r`, refused('headTooLong')],
  ['a request line that cannot end in time', 'x'.repeat(ROOM - 1), unknown('requestLineTooLong')],
  ['empty lines before a head', '\r'.repeat(ROOM - post().length) + post(), legal],
  ['and one more', '\r'.repeat(ROOM + 1 - post().length) + post().slice(0, -1), refused('headTooLong')],
  ['empty lines', '\r'.repeat(ROOM), undefined],
  ['and one more', '\r'.repeat(ROOM + 1), unknown('requestLineTooLong')],
];

const end = '0\r\n\r\n';
/** A chunk whose line has `length` bytes, CR LF included. */
const chunkOf = (length: number) => `1;${'a'.repeat(length - 4)}\r\nx\r\n`;
const dataOf = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
const trailers = (length: number) => `X: ${'x'.repeat(length - 7)}\r\n\r\n`;
const fifteen = chunkOf(1_024).repeat(15);

const contents: readonly (readonly [what: string, text: string, reason?: Reason])[] = [
  ['a size of eight digits', `00000001\r\nx\r\n${end}`],
  ['and of nine', '000000001\r\n', 'chunkSizeTooLong'],
  ['and nine that are no number in 32 bits', '100000000\r\n', 'chunkSizeTooLong'],
  ['the greatest number of eight digits', 'FFFFFFFF\r\n', 'contentTooLong'],
  ['a size and extensions of 1 KiB', chunkOf(1_024) + end],
  ['and one more', '1;'.padEnd(1_023, 'a'), 'chunkLineTooLong'],
  ['sizes and extensions of 16 KiB', `${fifteen}${chunkOf(1_019)}${end}`],
  ['and a line that is too long, for which 1 KiB is left', `${fifteen}${'1;'.padEnd(1_023, 'a')}`, 'chunkLineTooLong'],
  ['and a last one for which two bytes are left', `${fifteen}${chunkOf(1_022)}0`, 'chunkFramingTooLong'],
  ['and a last one for which nothing is left', `${fifteen}${chunkOf(1_024)}0`, 'chunkFramingTooLong'],
  ['trailers and sizes of 16 KiB', `0\r\n${trailers(16_381)}`],
  ['and one more', '0\r\nX: '.padEnd(16_383, 'x'), 'trailersTooLong'],
  ['and an end for which one byte is left', `${fifteen}${chunkOf(1_020)}${end.slice(0, -1)}`, 'trailersTooLong'],
  ['sizes of 16 KiB, without the data and their CR LF', '1\r\nx\r\n'.repeat(5_459) + end],
  ['data of 64 KiB', dataOf(65_535) + dataOf(1) + end],
  ['a chunk of one byte more', '10001\r\n', 'contentTooLong'],
  ['two chunks of one byte more', `${dataOf(65_535)}2\r\n`, 'contentTooLong'],
];
const whole = { ...legal, contentLength: undefined };
const chunks = contents.map(([what, text, reason]) =>
  [what, post('Transfer-Encoding: chunked') + text, reason === undefined ? whole : refused(reason)] as const);

for (const [limit, texts] of [
  ['a head has less than 16 KiB, with the empty lines before it', heads],
  ['chunked content has at most 64 KiB, a chunk size 1 KiB with its extensions, and all but the data 16 KiB', chunks],
] satisfies [string, Sized][]) {
  for (const [what, text, result] of texts) {
    test(`${limit}: ${what}`, () => {
      for (const pieces of [[text], text.split(''), [text.slice(0, 9_000), text.slice(9_000)], [text.slice(0, -1), text.slice(-1)]]) {
        assert.deepEqual(readAll(pieces).map((read) => read.said), result === undefined ? [] : [result]);
      }
      assert.deepEqual(readAll([text.slice(0, -1)]), []);
    });
  }
}

test('no more than 2 KiB become a string in one go, because a path that is in use keeps all of it in memory', (t) => {
  const { mock }: { mock: { readonly calls: readonly { this: unknown }[] } } = t.mock.method(Buffer.prototype, 'toString');
  new RequestReader(() => undefined).read(Buffer.alloc(5_000, 'x'));
  assert.deepEqual(mock.calls.map((call) => Object(call.this).length), [2_048, 2_048, 904, 0]);
});
