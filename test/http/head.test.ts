// The rules for the fields of a head, and for its target beside them. Illegal values are in the corpus, which request-reader.test.ts reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IsAllowed } from '../../src/http/allowed-hosts.ts';
import type { Fields } from '../../src/http/fields.ts';
import { judgeHead } from '../../src/http/head.ts';
import { CHARACTERS } from '../support/characters.ts';
import { PARENT, said, type Said } from '../support/said.ts';

type Others = { readonly method?: string; readonly authority?: string; readonly isHttps?: boolean; readonly isAllowed?: IsAllowed };

/** What is said of a request with these fields, or the status that refuses it. */
function judged(version: '1.0' | '1.1', values: Fields, others: Others = {}): Said | number {
  const { method = 'PUT', isAllowed = () => true, ...absolute } = others;
  const target = { path: '/a', query: 'b', ...absolute };
  const result = judgeHead({ method, target, isHttp11: version === '1.1' }, values, isAllowed);
  return typeof result === 'number' ? result : said(result);
}

const host = 'a';
const legal: Said = { method: 'PUT', path: '/a', query: 'b', host, contentLength: 0, isLast: false, trace: 'new' };
const last: Said = { ...legal, isLast: true };
const [LENGTH, CODING] = ['content-length', 'transfer-encoding'] as const;

for (const [version, values, expected] of [
  ['1.1', { host }, legal],
  ['1.1', { host: '[::1]:80' }, { ...legal, host: '[::1]:80' }],
  ['1.1', { host, [LENGTH]: '0' }, legal],
  ['1.1', { host, [LENGTH]: '65536' }, { ...legal, contentLength: 65_536 }],
  ['1.1', {}, 400],
  ['1.1', { host, [LENGTH]: '65537' }, 413],
  ['1.1', { host, [LENGTH]: '1', [CODING]: 'chunked' }, 400],
  ['1.1', { host, [CODING]: 'gzip' }, 400],
  ['1.1', { host, [CODING]: 'gzip, chunked' }, 501],
  ['1.0', { host, [CODING]: 'chunked' }, 400],
  ['1.1', { host, expect: 'tea' }, 417],
  ['1.1', { host, [CODING]: 'Chunked' }, { ...legal, contentLength: undefined }],
  ['1.1', { host, [CODING]: 'chunked', connection: 'close' }, { ...last, contentLength: undefined }],
  ['1.0', {}, { ...last, host: undefined }],
  ['1.0', { host, connection: 'close' }, last],
  ['1.0', { host, connection: 'keep-alive' }, legal],
  ['1.0', { host, connection: 'keep-alive, close' }, last],
  // Content that is expected is not waited for, and HTTP/1.0 has no expectations.
  ['1.1', { host, [LENGTH]: '1', expect: '100-CONTINUE' }, last],
  ['1.1', { host, [CODING]: 'chunked', expect: '100-continue' }, last],
  ['1.1', { host, [LENGTH]: '0', expect: '100-continue' }, legal],
  ['1.0', { [LENGTH]: '1', expect: '100-continue' }, { ...last, host: undefined, contentLength: 1 }],
  ['1.0', { [LENGTH]: '1', expect: 'tea' }, { ...last, host: undefined, contentLength: 1 }],
  // One traceparent is taken over, of two neither. Another version may have more, but not a comma, which may come from a second line.
  ['1.1', { host, traceparent: PARENT }, { ...legal, trace: 'child' }],
  ['1.1', { host, traceparent: `${PARENT}, ${PARENT}` }, legal],
  ['1.1', { host, traceparent: `${PARENT.replace('00-', '01-')}-x` }, { ...legal, trace: 'child' }],
  ['1.1', { host, traceparent: `${PARENT.replace('00-', '01-')}-x, ${PARENT}` }, legal],
] as const) {
  test(`HTTP/${version} with ${JSON.stringify(values)} is ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(judged(version, values), expected);
  });
}

test('an option of Connection stands between commas, with any spaces and tabs around it', () => {
  for (const character of CHARACTERS) {
    const [isSpace, isComma] = [[' ', '\t'].includes(character), character === ','];
    for (const option of ['close', 'keep-alive']) {
      // Each value, and whether it has the option.
      for (const [connection, hasOption] of [
        [`${character}${option}`, isSpace || isComma],
        [`${character} ${option}`, isSpace || isComma],
        [`,${character}${option}`, isSpace || isComma],
        [`x${character}${option}`, isComma],
        [`${option}${character}`, isSpace || isComma],
        [`${option} ${character}`, isSpace || isComma],
        [`${option}${character},`, isSpace || isComma],
        [`${option}${character}x`, isComma],
      ] as const) {
        const version = option === 'keep-alive' ? '1.0' : '1.1';
        const expected = hasOption === (option === 'close') ? last : legal;
        assert.deepEqual(judged(version, { host, connection }), expected, JSON.stringify(connection));
      }
    }
  }
});

test('each character of a length is a digit, and the first one is not 0', () => {
  for (const character of CHARACTERS) {
    const isDigit = '0123456789'.includes(character);
    for (const [contentLength, isLegal] of [
      [character, isDigit], [`1${character}`, isDigit], [`${character}1`, isDigit && character !== '0'], [`10${character}0`, isDigit],
    ] as const) {
      const expected = isLegal ? { ...legal, contentLength: Number(contentLength) } : 400;
      assert.deepEqual(judged('1.1', { host, [LENGTH]: contentLength }), expected, JSON.stringify(contentLength));
    }
  }
});

test('an allowed host is answered, and another one is refused with 421', () => {
  const asked: [string | undefined, boolean][] = [];
  const isAllowed: IsAllowed = (name, isHttps) => asked.push([name, isHttps]) > 0 && name === 'a';
  assert.deepEqual(judged('1.1', { host }, { isAllowed }), legal);
  assert.deepEqual(judged('1.1', { host: 'b:80' }, { isAllowed }), 421);
  assert.deepEqual(judged('1.0', {}, { isAllowed }), 421);
  assert.deepEqual(judged('1.1', { host }, { isAllowed, authority: 'A', isHttps: true }), legal);
  assert.deepEqual(judged('1.0', {}, { isAllowed, authority: 'b', isHttps: false }), 421);
  assert.deepEqual(asked, [['a', false], ['b:80', false], [undefined, false], ['a', true], ['b', false]]);
});

test('the authority of a target is the same as Host, which HTTP/1.0 may leave out', () => {
  for (const authority of ['a', 'A:80', '[::1]', 'a%20b']) {
    assert.deepEqual(judged('1.0', {}, { authority }), { ...last, host: authority });
    assert.deepEqual(judged('1.1', {}, { authority }), 400);
    for (const version of ['1.0', '1.1'] as const) assert.deepEqual(judged(version, { host: 'b' }, { authority }), 400);
  }
  for (const authority of ['user@a', 'a@b', '', 'a#', 'a:', 'a,b', 'a:65536']) assert.deepEqual(judged('1.0', {}, { authority }), 400);
});

test('of two faults the first in this order decides', () => {
  const faults: readonly (readonly [status: number, values: Fields, others: Others])[] = [
    [400, { host: 'a b' }, {}],
    [400, {}, { authority: 'b' }],
    [400, { [LENGTH]: 'x' }, {}],
    [413, { [LENGTH]: '65537' }, {}],
    [417, { expect: 'tea' }, {}],
    [421, {}, { isAllowed: () => false }],
    [501, {}, { method: 'CONNECT' }],
  ];
  faults.forEach(([status, values, others], i) => {
    for (const [, laterFields, laterOthers] of faults.slice(i)) {
      assert.equal(judged('1.1', { host, ...laterFields, ...values }, { ...laterOthers, ...others }), status);
    }
  });
});
