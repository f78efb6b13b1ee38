// What no reply shows of a head. The rules for heads are in the contract, with values on both sides of each limit; those
// that differ between servers in app.test.ts, and the reasons in refusals.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHead } from '../../src/http/head.ts';

test('a request has the path and the query of its target, which are empty if that has no legal form', () => {
  const head = { httpVersion: '1.1', headers: {}, rawHeaders: [] };
  for (const [url, path, query] of [
    ['//%61/../b#?c?d', '//%61/../b#', 'c?d'], ['HTTP://a?/b', '/', '/b'], ['http://a#/b', '/#/b', ''],
    ['a/b', '', ''], ['xhttp://a/b', '', ''], [undefined, '', ''], // Node's types allow that
  ] as const) {
    const { request, check } = readHead(url === undefined ? head : { ...head, method: 'GET', url }, {});
    assert.deepEqual([request.path, request.query, check()], [path, query, path === '' ? 'targetForm' : 'hostMissing']);
  }
});
