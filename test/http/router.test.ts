import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyReply, type Handler } from '../../src/http/reply.ts';
import { createRouter } from '../../src/http/router.ts';

const handlerThatSays = (status: number): Handler => ({ path }) => emptyReply(status, ['Location', path]);
const route = createRouter({
  '/a': { GET: handlerThatSays(200) },
  '/b': { GET: handlerThatSays(201), PUT: handlerThatSays(202) },
  constructor: { GET: handlerThatSays(203) },
  '/d': { GET: () => JSON.parse('null') },
});
const replyTo = (method: string, path: string) => route({ method, path, query: 'q', host: 'a', traceparent: '' });

test('a request is answered by the handler of its path and method, which receives it', () => {
  for (const [method, path, status] of [['GET', '/a', 200], ['GET', '/b', 201], ['PUT', '/b', 202], ['GET', 'constructor', 203]] as const) {
    assert.deepEqual(replyTo(method, path), emptyReply(status, ['Location', path]));
  }
});

test('what a handler returns is passed on, even if it is no reply: answer.ts makes a 500 of that', () => {
  assert.equal(replyTo('GET', '/d'), null);
});

test('any other method on a path of the table is 405, with the methods that are allowed', () => {
  for (const method of ['HEAD', 'get', 'POST', 'OPTIONS', '__proto__', 'constructor', '']) {
    assert.deepEqual(replyTo(method, '/a'), emptyReply(405, ['Allow', 'GET']));
    assert.deepEqual(replyTo(method, '/b'), emptyReply(405, ['Allow', 'GET, PUT']));
  }
});

test('any method on another path is 404: paths are compared byte for byte', () => {
  for (const path of ['', '/', '*', '/A', '/a/', '//a', '/%61', '/a%00', '/c', 'a', 'toString', '__proto__']) {
    for (const method of ['GET', 'POST']) assert.deepEqual(replyTo(method, path), emptyReply(404));
  }
});
