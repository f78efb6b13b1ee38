// What no reply shows of a head, its target and its host. The rules are in the contract, app.test.ts, refusals.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHead } from '../../src/http/head.ts';
import { hostNamesOf, parseHost } from '../../src/http/target.ts';

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

test('hosts have the same name in any form and with any port', () => {
  const names = hostNamesOf(['Example.com', 'my_service', 'svc.example.', '10.0.0.1', '0:0:0:0:0:0:0:1']);
  for (const host of [
    'example.com', 'EXAMPLE.COM:8080', 'example.com.', 'my_service:80', 'svc.example', 'SVC.example.:80', '10.0.0.1',
    '10.0.0.1.', '[::1]', '[0::0:1]:80',
  ]) assert.equal(names.has(parseHost(host)?.name), true, host);
  for (const host of [
    '', 'a b', 'localhost', 'www.example.com', '.example.com', 'example.com..', 'example.com.evil.example',
    'my-service', '10.0.0.2', '10.1', '0xa.1', '012.0.0.1', '167772161', 'example%2ecom', '[::2]', '[::ffff:10.0.0.1]',
  ]) assert.equal(names.has(parseHost(host)?.name), false, host);
});
