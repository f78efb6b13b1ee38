// Which lines are legal is in grammar.test.ts; the reasons of others are in the corpus.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loggablePartsOf, parseRequestLine, type RequestLine } from '../../src/http/request-line.ts';
import { CHARACTERS } from '../support/characters.ts';

const isDigit = (character: string) => '0123456789'.includes(character);
const isLetter = (character: string) => 'abcdefghijklmnopqrstuvwxyz'.includes(character.toLowerCase());

/** What a line says, or the rule that it breaks and what may be logged of it: the method and the path. */
function parsed(line: string) {
  const result = parseRequestLine(line);
  if (typeof result !== 'string') return result;
  const { method, path } = loggablePartsOf(line, undefined);
  return [result, method, path];
}

const target = { path: '/a', query: '', authority: undefined, isHttps: false };
const get: RequestLine = { method: 'GET', target, isHttp11: true };
const NOTHING = ['requestLineForm', undefined, undefined];

test('a line is a method, a target and a version; of an illegal one only its method and path may be logged', () => {
  for (const [line, expected] of [
    ['PUT /a?HTTP/2.0 HTTP/1.9', { ...get, method: 'PUT', target: { ...target, query: 'HTTP/2.0' } }],
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

const pathOf = (target: string) => loggablePartsOf(`GET ${target} HTTP/1.1`, undefined).path;

test('of an illegal target the log says the path, whatever its scheme is, and never the query or user information', () => {
  for (const [target, path] of [
    ['/a?name=Ada#b', '/a'], ['/a\\?', '/a\\'], ['/http://a/b#c', '/http://a/b'], ['/a#b', '/a'],
    ['http:///health', '/health'], ['HTTP://user:secret@a/health?name=Ada', '/health'], ['http://user:secret@a', ''],
    ['http://user:secret@a?name=Ada/b', ''], ['http://user:secret#@a/health', ''], ['user:secret@a/health', ''],
    ['http:user:secret@a/health', ''], ['*', ''],
  ] as const) assert.equal(pathOf(target), path, target);
  for (const character of CHARACTERS.filter((each) => /[!-~]/.test(each))) {
    const [begins, goesOn] = [isLetter(character), isLetter(character) || isDigit(character) || '+.-'.includes(character)];
    const [scheme, longer] = [`${character}://user:secret@a/b`, `a${character}://user:secret@a/b`];
    if (character !== '/') assert.equal(pathOf(scheme), begins ? '/b' : '', scheme);
    assert.equal(pathOf(longer), goesOn ? '/b' : '', longer);
  }
});
