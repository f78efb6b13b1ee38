import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyReply, type Handler } from '../../src/http/reply.ts';
import type { Request } from '../../src/http/request.ts';
import { createRouter } from '../../src/http/router.ts';

const handled: Request[] = [];
const handlerThatSays = (status: number): Handler => (request) => {
  handled.push(request);
  return emptyReply(status);
};
const route = createRouter({ '/a': { GET: handlerThatSays(200) }, '/b': { GET: handlerThatSays(201), PUT: handlerThatSays(202) }, '/nothing': {} });
const request = (method: string, path: string): Request => ({ method, path, query: 'q', host: 'a', traceparent: '' });

test('a request is answered by the handler of its path and method, which gets it as it is', () => {
  for (const [method, path, status] of [['GET', '/a', 200], ['GET', '/b', 201], ['PUT', '/b', 202]] as const) {
    const asked = request(method, path);
    assert.deepEqual(route(asked), emptyReply(status));
    assert.equal(handled.at(-1), asked);
  }
});

test('any other method on a path of the table is 405, with the methods that are allowed', () => {
  for (const method of ['HEAD', 'get', 'POST', 'OPTIONS', 'BREW', '__proto__', 'constructor', '']) {
    assert.deepEqual(route(request(method, '/a')), emptyReply(405, ['Allow', 'GET']));
    assert.deepEqual(route(request(method, '/b')), emptyReply(405, ['Allow', 'GET, PUT']));
  }
  assert.deepEqual(route(request('GET', '/nothing')), emptyReply(405, ['Allow', '']));
});

test('any method on another path is 404: paths are compared byte for byte', () => {
  for (const path of ['', '/', '*', '/A', '/a/', '//a', '/%61', '/a%00', '/c', 'a', 'constructor', '__proto__', '/__proto__']) {
    for (const method of ['GET', 'POST', 'BREW']) assert.deepEqual(route(request(method, path)), emptyReply(404));
  }
});

test('a path that is a name of the prototype can be in the table', () => {
  const routes = createRouter({ ['__proto__']: { GET: handlerThatSays(200) }, constructor: { GET: handlerThatSays(201) } });
  assert.deepEqual([routes(request('GET', '__proto__')).status, routes(request('GET', 'constructor')).status], [200, 201]);
});
