// The allowed hosts, and the order of the rules. Which values are legal is in grammar.test.ts; the reasons of others are in the corpus.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RefuseHost } from '../../src/http/request-target.ts';
import type { Fields } from '../../src/http/fields.ts';
import { judgeHead } from '../../src/http/head.ts';
import type { Reason } from '../../src/http/refusals.ts';

type Others = { readonly method?: string; readonly authority?: string; readonly isHttps?: boolean; readonly refuseHost?: RefuseHost };

/** The request with these fields, or the rule that they break. */
function judged(version: '1.0' | '1.1', values: Fields, others: Others = {}) {
  const { method = 'PUT', refuseHost = () => undefined, ...absolute } = others;
  const target = { path: '/a', query: 'b', authority: undefined, isHttps: false, ...absolute };
  return judgeHead({ method, target, isHttp11: version === '1.1' }, values, refuseHost);
}

test('the allowed hosts are asked for each Host, also when only an HTTP/1.0 target names it, and with https', () => {
  const asked: [string | undefined, boolean][] = [];
  const refuseHost: RefuseHost = (...host) => {
    asked.push(host);
    return 'hostNotAllowed';
  };
  for (const request of [
    judged('1.1', { host: 'b:80' }, { refuseHost }), judged('1.0', {}, { refuseHost }),
    judged('1.1', { host: 'a' }, { refuseHost, authority: 'A', isHttps: true }),
    judged('1.0', {}, { refuseHost, authority: 'b', isHttps: false }),
  ]) assert.equal(request, 'hostNotAllowed');
  assert.deepEqual(asked, [['b:80', false], [undefined, false], ['a', true], ['b', false]]);
});

test('of two faults the first in this order decides', () => {
  const faults: readonly (readonly [reason: Reason, values: Fields, others: Others])[] = [
    ['hostIllegal', { host: 'a b' }, {}],
    ['hostMismatch', {}, { authority: 'b' }],
    ['codingNotChunked', { 'transfer-encoding': 'gzip' }, {}],
    ['lengthIllegal', { 'content-length': 'x' }, {}],
    ['contentTooLong', { 'content-length': '65537' }, {}],
    ['expectationUnknown', { expect: 'tea' }, {}],
    ['hostNotAllowed', {}, { refuseHost: () => 'hostNotAllowed' }],
    ['connectUnsupported', {}, { method: 'CONNECT' }],
  ];
  faults.forEach(([reason, values, others], i) => {
    for (const [, laterFields, laterOthers] of faults.slice(i)) {
      const fields = { host: 'a', ...laterFields, ...values };
      const isFramedTwice = reason === 'codingNotChunked' && 'content-length' in fields;
      assert.equal(judged('1.1', fields, { ...laterOthers, ...others }), isFramedTwice ? 'lengthAndCoding' : reason);
    }
  });
});
