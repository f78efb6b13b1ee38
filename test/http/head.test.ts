// Which characters the values of fields may have, the allowed hosts, and the order of the rules. The rules are in the corpus, value by
// value: request-reader.test.ts sees that the status is right, and second-opinion.test.ts that a legal head says what it says to node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IsAllowed } from '../../src/http/request-target.ts';
import type { Fields } from '../../src/http/fields.ts';
import { judgeHead } from '../../src/http/head.ts';
import { CHARACTERS } from '../support/characters.ts';

type Others = { readonly method?: string; readonly authority?: string; readonly isHttps?: boolean; readonly isAllowed?: IsAllowed };

/** The request with these fields, or the status that refuses it. */
function judged(version: '1.0' | '1.1', values: Fields, others: Others = {}) {
  const { method = 'PUT', isAllowed = () => true, ...absolute } = others;
  return judgeHead({ method, target: { path: '/a', query: 'b', ...absolute }, isHttp11: version === '1.1' }, values, isAllowed);
}

/** Whether the connection ends with the reply. */
function isLast(version: '1.0' | '1.1', connection: string): boolean | undefined {
  const request = judged(version, { host: 'a', connection });
  return typeof request === 'number' ? undefined : request.isLast;
}

test('an option of Connection stands between commas, with any spaces and tabs around it', () => {
  for (const character of CHARACTERS) {
    const [isSpace, isComma] = [[' ', '\t'].includes(character), character === ','];
    for (const option of ['close', 'keep-alive']) {
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
        if (option === 'close') assert.equal(isLast('1.1', connection), hasOption, JSON.stringify(connection));
        else assert.equal(isLast('1.0', connection), !hasOption, JSON.stringify(connection));
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
      const request = judged('1.1', { host: 'a', 'content-length': contentLength });
      const length = typeof request === 'number' ? request : request.contentLength;
      assert.equal(length, isLegal ? Number(contentLength) : 400, JSON.stringify(contentLength));
    }
  }
});

test('a host that is not allowed is refused with 421, also when only an HTTP/1.0 target names it, and with https', () => {
  const asked: [string | undefined, boolean][] = [];
  const isAllowed: IsAllowed = (name, isHttps) => asked.push([name, isHttps]) > 9;
  assert.equal(judged('1.1', { host: 'b:80' }, { isAllowed }), 421);
  assert.equal(judged('1.0', {}, { isAllowed }), 421);
  assert.equal(judged('1.1', { host: 'a' }, { isAllowed, authority: 'A', isHttps: true }), 421);
  assert.equal(judged('1.0', {}, { isAllowed, authority: 'b', isHttps: false }), 421);
  assert.deepEqual(asked, [['b:80', false], [undefined, false], ['a', true], ['b', false]]);
});

test('of two faults the first in this order decides', () => {
  const faults: readonly (readonly [status: number, values: Fields, others: Others])[] = [
    [400, { host: 'a b' }, {}],
    [400, {}, { authority: 'b' }],
    [400, { 'transfer-encoding': 'gzip' }, {}],
    [400, { 'content-length': 'x' }, {}],
    [413, { 'content-length': '65537' }, {}],
    [417, { expect: 'tea' }, {}],
    [421, {}, { isAllowed: () => false }],
    [501, {}, { method: 'CONNECT' }],
  ];
  faults.forEach(([status, values, others], i) => {
    for (const [, laterFields, laterOthers] of faults.slice(i)) {
      assert.equal(judged('1.1', { host: 'a', ...laterFields, ...values }, { ...laterOthers, ...others }), status);
    }
  });
});
