import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyReply, type Endpoint } from '../../src/http/reply.ts';
import { route } from '../../src/http/router.ts';

const endpoint: Endpoint = () => emptyReply(204);
const routes = new Map([['/a', endpoint]]);
const request = { query: '', traceId: '' };

test('GET on a mapped path is its endpoint', () => {
  assert.equal(route(routes, 'GET', '/a'), endpoint);
});

test('any other method on a mapped path is 405 with Allow', () => {
  for (const method of ['HEAD', 'get', 'POST', '', undefined]) {
    assert.deepEqual(route(routes, method, '/a')(request), emptyReply(405, 'Allow: GET\r\n'));
  }
});

test('any method on another path is 404', () => {
  for (const path of ['', '/', '/A', '/a/', '/b', 'constructor']) {
    assert.deepEqual(route(routes, 'GET', path)(request), emptyReply(404));
    assert.deepEqual(route(routes, 'POST', path)(request), emptyReply(404));
  }
});
