// Lines that are illegal as a whole are in the corpus, which request-reader.test.ts reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loggablePartsOf, parseRequestLine, type RequestLine } from '../../src/http/request-line.ts';
import { CHARACTERS, TOKEN } from '../support/characters.ts';

type Refused = { readonly status: number; readonly loggable: ReturnType<typeof loggablePartsOf> };

/** What a line says, as plain values. */
function parsed(line: string): RequestLine | Refused {
  const result = parseRequestLine(line);
  return typeof result === 'number' ? { status: result, loggable: loggablePartsOf(line) } : result;
}

function refused(status: number, method?: string, path = ''): Refused {
  return { status, loggable: method === undefined ? undefined : { method, target: { path } } };
}
const get: RequestLine = { method: 'GET', target: { path: '/a', query: '' }, isHttp11: true };

for (const [line, expected] of [
  ['GET /a HTTP/1.1', get],
  ['GET /a HTTP/1.0', { ...get, isHttp11: false }],
  ['GET /a HTTP/1.2', get],
  ['PUT /a?HTTP/2.0 HTTP/1.9', { ...get, method: 'PUT', target: { path: '/a', query: 'HTTP/2.0' } }],
  ['get /a/%20?b=c? HTTP/1.1', { ...get, method: 'get', target: { path: '/a/%20', query: 'b=c?' } }],
  ['GET http://A:80/b HTTP/1.1', { ...get, target: { path: '/b', query: '', authority: 'A:80', isHttps: false } }],
  ['OPTIONS * HTTP/1.1', { ...get, method: 'OPTIONS', target: { path: '*', query: '' } }],
  ['CONNECT a:80 HTTP/1.1', { ...get, method: 'CONNECT', target: { path: 'a:80', query: '' } }],
  // Of an illegal target or another version, the method and the path are known, and never the query or the authority.
  ['GET /a\\b?name=Ada HTTP/1.1', refused(400, 'GET', '/a\\b')],
  ['GET http://user:secret@a/%zz?name=Ada HTTP/1.0', refused(400, 'GET', '/%zz')],
  ['GET a:80 HTTP/1.1', refused(400, 'GET', '')],
  ['CONNECT /a HTTP/1.1', refused(400, 'CONNECT', '/a')],
  ['BREW http://user:secret@a/b?c HTTP/2.0', refused(505, 'BREW', '/b')],
  ['GET /a#b HTTP/0.9', refused(505, 'GET', '/a')],
  // Of what is no request line, nothing is known.
  ['', refused(400)],
  ['GET  /a HTTP/2.0', refused(400)],
  ['GET /a HTTP/1.1\n', refused(400)],
  ['\nGET /a HTTP/1.1', refused(400)],
  ['GET /a HTTP/1.1 ', refused(400)],
] as const) {
  test(`${JSON.stringify(line)} is ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(parsed(line), expected);
  });
}

test('a method has the characters of a token, and no others', () => {
  for (const character of CHARACTERS) {
    for (const method of [character, `${character}E`, `G${character}E`, `G${character}`]) {
      const expected = TOKEN.includes(character) ? { ...get, method } : refused(400);
      assert.deepEqual(parsed(`${method} /a HTTP/1.1`), expected, JSON.stringify(method));
    }
  }
});

test('with a character that is not visible ASCII it is no request line, with any other one it may have an illegal target', () => {
  for (const character of CHARACTERS.filter((each) => each !== '/' && each !== '*')) {
    const isVisible = character >= '!' && character <= '~';
    assert.deepEqual(parsed(`GET ${character}a HTTP/1.1`), isVisible ? refused(400, 'GET') : refused(400), JSON.stringify(character));
  }
});

test('each digit of a version is a digit, and the dot is a dot', () => {
  for (const character of CHARACTERS) {
    const isDigit = '0123456789'.includes(character);
    const minor = isDigit ? { ...get, isHttp11: character !== '0' } : refused(400);
    const major = character === '1' ? get : isDigit ? refused(505, 'GET', '/a') : refused(400);
    assert.deepEqual(parsed(`GET /a HTTP/1.${character}`), minor, JSON.stringify(character));
    assert.deepEqual(parsed(`GET /a HTTP/${character}.1`), major, JSON.stringify(character));
    if (character !== '.') assert.deepEqual(parsed(`GET /a HTTP/1${character}1`), refused(400), JSON.stringify(character));
  }
});
