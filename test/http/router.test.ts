import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyReply, type Handler } from '../../src/http/messages.ts';
import { createRouter } from '../../src/http/router.ts';

const answers = (status: number): Handler => ({ path }) => emptyReply(status, ['Location', path]);
const route = createRouter({
  '/a': { GET: answers(200) }, '/b': { GET: answers(201), PUT: answers(202) }, '/c': { GET: () => JSON.parse('null') },
});
const replyTo = (method: string, path: string) => route({ method, path, query: 'q', host: 'a', parent: undefined });

test('a request is answered by the handler of its path and method, whose reply is passed on, also if it is none', () => {
  for (const [method, path, status] of [['GET', '/a', 200], ['GET', '/b', 201], ['PUT', '/b', 202]] as const) {
    assert.deepEqual(replyTo(method, path), emptyReply(status, ['Location', path]));
  }
  assert.equal(replyTo('GET', '/c'), null); // answer.ts makes a 500 of that
});

test('any other method on a path of the table is 405, with the methods that are allowed; any other path is 404', () => {
  for (const method of ['HEAD', 'get', 'POST', '__proto__', 'constructor', '']) {
    assert.deepEqual(replyTo(method, '/b'), emptyReply(405, ['Allow', 'GET, PUT']));
  }
  for (const path of ['', '/', '/A', '/a/', '/%61', 'a', 'toString', '__proto__']) assert.deepEqual(replyTo('GET', path), emptyReply(404));
});
