// Lines that are illegal as a whole, and versions, are in the corpus, which request-reader.test.ts reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loggablePartsOf, parseRequestLine, type RequestLine } from '../../src/http/request-line.ts';
import { CHARACTERS, TOKEN } from '../support/characters.ts';

/** What a line says, or the status that refuses it and what may be logged of it: the method and the path. */
function parsed(line: string) {
  const result = parseRequestLine(line);
  if (typeof result !== 'number') return result;
  const { method, path } = loggablePartsOf(line);
  return [result, method, path];
}

const get: RequestLine = { method: 'GET', target: { path: '/a', query: '' }, isHttp11: true };
const NOTHING = [400, undefined, undefined];

test('a line is a method, a target and a version; of an illegal one only its method and path may be logged', () => {
  for (const [line, expected] of [
    ['PUT /a?HTTP/2.0 HTTP/1.9', { ...get, method: 'PUT', target: { path: '/a', query: 'HTTP/2.0' } }],
    ['GET http://A:80/b HTTP/1.0', { ...get, target: { path: '/b', query: '', authority: 'A:80', isHttps: false }, isHttp11: false }],
    ['GET /a\\b?name=Ada HTTP/1.1', [400, 'GET', '/a\\b']],
    ['GET http://user:secret@a/%zz?name=Ada HTTP/1.0', [400, 'GET', '/%zz']],
    ['CONNECT /a HTTP/1.1', [400, 'CONNECT', '/a']],
    ['BREW http://user:secret@a/b?c HTTP/2.0', [505, 'BREW', '/b']],
    ['GET  /a HTTP/2.0', NOTHING],
    ['GET /a HTTP/1.1\n', NOTHING],
    ['\nGET /a HTTP/1.1', NOTHING],
  ] as const) assert.deepEqual(parsed(line), expected, JSON.stringify(line));
});

test('a method has the characters of a token, a target visible ASCII, and a version digits', () => {
  for (const character of CHARACTERS) {
    for (const method of [character, `${character}E`, `G${character}E`, `G${character}`]) {
      assert.deepEqual(parsed(`${method} /a HTTP/1.1`), TOKEN.includes(character) ? { ...get, method } : NOTHING, JSON.stringify(method));
    }
    const isVisible = character >= '!' && character <= '~';
    assert.deepEqual(parsed(`GET ^${character} HTTP/1.1`), isVisible ? [400, 'GET', ''] : NOTHING, JSON.stringify(character));

    const [isDigit, isDot] = ['0123456789'.includes(character), character === '.'];
    assert.deepEqual(parsed(`GET /a HTTP/1.${character}`), isDigit ? { ...get, isHttp11: character !== '0' } : NOTHING);
    assert.deepEqual(parsed(`GET /a HTTP/${character}.1`), character === '1' ? get : isDigit ? [505, 'GET', '/a'] : NOTHING);
    assert.deepEqual(parsed(`GET /a HTTP/1${character}1`), isDot ? get : NOTHING);
  }
});
