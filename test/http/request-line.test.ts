// Which lines are legal is in grammar.test.ts; the reasons of others are in the corpus.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loggablePartsOf, parseRequestLine, type RequestLine } from '../../src/http/request-line.ts';

/** What a line says, or the rule that it breaks and what may be logged of it: the method and the path. */
function parsed(line: string) {
  const result = parseRequestLine(line);
  if (typeof result !== 'string') return result;
  const { method, path } = loggablePartsOf(line);
  return [result, method, path];
}

const get: RequestLine = { method: 'GET', target: { path: '/a', query: '' }, isHttp11: true };
const NOTHING = ['requestLineForm', undefined, undefined];

test('a line is a method, a target and a version; of an illegal one only its method and path may be logged', () => {
  for (const [line, expected] of [
    ['PUT /a?HTTP/2.0 HTTP/1.9', { ...get, method: 'PUT', target: { path: '/a', query: 'HTTP/2.0' } }],
    ['GET http://A:80/b HTTP/1.0', { ...get, target: { path: '/b', query: '', authority: 'A:80', isHttps: false }, isHttp11: false }],
    ['GET /a\\b?name=Ada HTTP/1.1', ['targetCharacter', 'GET', '/a\\b']],
    ['GET http://user:secret@a/%zz?name=Ada HTTP/1.0', ['targetCharacter', 'GET', '/%zz']],
    ['CONNECT /a HTTP/1.1', ['targetForm', 'CONNECT', '/a']],
    ['BREW http://user:secret@a/b?c HTTP/2.0', ['versionUnsupported', 'BREW', '/b']],
    ['GET ^ HTTP/1.1', ['targetForm', 'GET', '']],
    ['GET /\xe9 HTTP/1.1', NOTHING.with(0, 'requestLineNotAscii')],
    ['GET  /a HTTP/2.0', NOTHING],
    ['GET /\x7f HTTP/1.1', NOTHING],
    ['GET /a HTTP/1.1\n', NOTHING],
    ['\nGET /a HTTP/1.1', NOTHING],
  ] as const) assert.deepEqual(parsed(line), expected, JSON.stringify(line));
});
