// Which lines are legal is in grammar.test.ts; the reasons of others are in the corpus.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loggablePartsOf } from '../../src/http/request-line.ts';

const pathOf = (target: string) => loggablePartsOf(`GET ${target} HTTP/1.1`, undefined).path;

test('of an illegal target the log says the path, whatever its scheme is, and never the query or user information', () => {
  for (const [target, path] of [
    ['/a?name=Ada#b', '/a'], ['/a\\?', '/a\\'], ['/http://a/b#c', '/http://a/b'], ['/a#b', '/a'],
    ['http:///health', '/health'], ['HTTP://user:secret@a/health?name=Ada', '/health'], ['http://user:secret@a', ''],
    ['http://user:secret@a?name=Ada/b', ''], ['http://user:secret#@a/health', ''], ['user:secret@a/health', ''],
    ['http:user:secret@a/health', ''], ['*', ''],
    ['aZ09+.-://user:secret@a/b', '/b'], ['z://user:secret@a/b', '/b'], ['9://user:secret@a/b', ''], ['a_://user:secret@a/b', ''],
  ] as const) assert.equal(pathOf(target), path, target);
});
