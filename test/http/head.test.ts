// The allowed hosts. Which values are legal is in grammar.test.ts; the reasons of others are in the corpus.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RefuseHost } from '../../src/http/request-target.ts';
import { judgeHead } from '../../src/http/head.ts';

test('the allowed hosts are asked for each Host, also when only an HTTP/1.0 target names it, and with https', () => {
  const asked: [string | undefined, boolean][] = [];
  const refuseHost: RefuseHost = (...host) => {
    asked.push(host);
    return 'hostNotAllowed';
  };
  for (const [isHttp11, host, authority, isHttps] of [
    [true, 'b:80', undefined, false], [false, undefined, undefined, false], [true, 'a', 'A', true], [false, undefined, 'b', false],
  ] as const) {
    const target = { path: '/a', query: 'b', authority, isHttps };
    assert.equal(judgeHead({ method: 'GET', target, isHttp11 }, { host }, refuseHost), 'hostNotAllowed');
  }
  assert.deepEqual(asked, [['b:80', false], [undefined, false], ['a', true], ['b', false]]);
});
