import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loggablePartsOf, parseRequestLine, type RequestLine } from '../../src/http/request-line.ts';

/** What a line says, as plain values. */
function parsed(line: string): RequestLine | Refused {
  const result = parseRequestLine(line);
  return typeof result === 'number' ? { status: result, loggable: loggablePartsOf(line) } : result;
}

type Refused = { readonly status: number; readonly loggable: ReturnType<typeof loggablePartsOf> };
const refused = (status: number, method?: string, path = ''): Refused => ({ status, loggable: method === undefined ? method : { method, target: { path } } });

// Every byte, as the character that a line has for it.
const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
const TOKEN = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

const legal: readonly (readonly [line: string, parsed: RequestLine])[] = [
  ['GET / HTTP/1.1', { method: 'GET', target: { path: '/', query: '' }, isHttp11: true }],
  ['GET / HTTP/1.0', { method: 'GET', target: { path: '/', query: '' }, isHttp11: false }],
  ['GET /a/%20?b=c? HTTP/1.1', { method: 'GET', target: { path: '/a/%20', query: 'b=c?' }, isHttp11: true }],
  ['GET http://A:80/b HTTP/1.1', { method: 'GET', target: { path: '/b', query: '', authority: 'A:80', isHttps: false }, isHttp11: true }],
  ['PUT /a/%20?b=c? HTTP/1.1', { method: 'PUT', target: { path: '/a/%20', query: 'b=c?' }, isHttp11: true }],
  ['get /a?HTTP/1.0 HTTP/1.1', { method: 'get', target: { path: '/a', query: 'HTTP/1.0' }, isHttp11: true }],
  ['BREW http://A:80/b HTTP/1.0', { method: 'BREW', target: { path: '/b', query: '', authority: 'A:80', isHttps: false }, isHttp11: false }],
  ['GET /a HTTP/1.2', { method: 'GET', target: { path: '/a', query: '' }, isHttp11: true }],
  ['PUT /a?HTTP/2.0 HTTP/1.9', { method: 'PUT', target: { path: '/a', query: 'HTTP/2.0' }, isHttp11: true }],
  ['PRI /a HTTP/1.1', { method: 'PRI', target: { path: '/a', query: '' }, isHttp11: true }],
  ['OPTIONS * HTTP/1.1', { method: 'OPTIONS', target: { path: '*', query: '' }, isHttp11: true }],
  ['CONNECT a:80 HTTP/1.1', { method: 'CONNECT', target: { path: 'a:80', query: '' }, isHttp11: true }],
  [`${TOKEN} /a HTTP/1.1`, { method: TOKEN, target: { path: '/a', query: '' }, isHttp11: true }],
];
for (const [line, expected] of legal) {
  test(`${line} is legal`, () => {
    assert.deepEqual(parsed(line), expected);
  });
}

test('what is no request line is refused with 400, and nothing of it is known', () => {
  for (const line of [
    '', ' ', 'GET', 'GET /a', 'GET /a ', 'GET HTTP/1.1', 'GET  HTTP/1.1', 'GET http://a b/ HTTP/1.1', ' /a HTTP/1.1', 'GET /a HTTP/1.1 ',
    ' GET /a HTTP/1.1', 'GET  /a HTTP/1.1', 'GET /a  HTTP/1.1', 'GET\t/a HTTP/1.1', 'GET /a\tHTTP/1.1', 'GET /a b HTTP/1.1', 'GET /\xe9 HTTP/1.1',
    'GET /a http/1.1', 'GET /a HTTP/11', 'GET /a HTTP/1.', 'GET /a HTTP/.1', 'GET /a HTTP/1.1.1', 'GET /a HTTP/x.y', 'GET /a HTTP/1.11',
    'GET /a HTTP/01.1', 'GET /a HTTP/ 1.1', 'GET /a HTTP1.1', 'GET /a RTSP/1.1', 'GET /a ICE/1.1', 'BREW /a HTCPCP/1.0', 'GET /a HTTP/1.1x',
    'G(T /a HTTP/1.1', 'G(T /a HTTP/2.0', 'GET  /a HTTP/2.0', 'GET /a  HTTP/2.0', ' GET /a HTTP/2.0',
    'GET /a HTTP/1.1\n', '\nGET /a HTTP/1.1', 'GET /a\n HTTP/1.1',
  ]) {
    assert.deepEqual(parsed(line), refused(400), JSON.stringify(line));
  }
});

test('another major version is refused with 505, and the method and the path are known, also of an illegal target', () => {
  for (const version of ['0.9', '2.0', '2.1', '3.0', '9.9', '0.0', '0.1']) {
    for (const [start, method, path] of [
      ['GET /a?name=Ada', 'GET', '/a'],
      ['BREW http://user:secret@a/b?c', 'BREW', '/b'],
      ['GET /a#b', 'GET', '/a'],
      ['PRI *', 'PRI', ''],
    ] as const) {
      assert.deepEqual(parsed(`${start} HTTP/${version}`), refused(505, method, path));
    }
  }
});

test('an illegal target is refused with 400, and the method and the path are known', () => {
  for (const version of ['1.0', '1.1', '1.2']) {
    for (const [start, method, path] of [
      ['GET /a\\b?name=Ada', 'GET', '/a\\b'],
      ['GET http://user:secret@a/%zz?name=Ada', 'GET', '/%zz'],
      ['GET /a?b#c', 'GET', '/a'],
      ['GET *', 'GET', ''],
      ['GET a:80', 'GET', ''],
      ['CONNECT a', 'CONNECT', ''],
      ['CONNECT /a', 'CONNECT', '/a'],
      ['BREW ftp://a/b', 'BREW', '/b'],
    ] as const) {
      assert.deepEqual(parsed(`${start} HTTP/${version}`), refused(400, method, path));
    }
  }
});

test('a method has the characters of a token, and no others', () => {
  for (const character of characters) {
    for (const method of [character, `${character}E`, `G${character}E`, `G${character}`]) {
      const legalLine: RequestLine = { method, target: { path: '/', query: '' }, isHttp11: true };
      const expected = TOKEN.includes(character) ? legalLine : refused(400);
      assert.deepEqual(parsed(`${method} / HTTP/1.1`), expected, JSON.stringify(method));
    }
  }
});

test('with a character that is not visible ASCII it is no request line, with any other one it may have an illegal target', () => {
  for (const character of characters.filter((each) => each !== '/' && each !== '*')) {
    const isVisible = character >= '!' && character <= '~';
    const expected = isVisible ? refused(400, 'GET', '') : refused(400);
    assert.deepEqual(parsed(`GET ${character}a HTTP/1.1`), expected, JSON.stringify(character));
  }
});

test('each digit of a version is a digit, and the dot is a dot', () => {
  for (const character of characters) {
    const isDigit = '0123456789'.includes(character);
    const legalLine = { method: 'GET', target: { path: '/a', query: '' }, isHttp11: character !== '0' };
    const other = refused(505, 'GET', '/a');
    assert.deepEqual(parsed(`GET /a HTTP/1.${character}`), isDigit ? legalLine : refused(400), JSON.stringify(character));
    const major = parsed(`GET /a HTTP/${character}.1`);
    assert.deepEqual(major, character === '1' ? legalLine : isDigit ? other : refused(400), JSON.stringify(character));
    if (character !== '.') assert.deepEqual(parsed(`GET /a HTTP/1${character}1`), refused(400), JSON.stringify(character));
  }
});
