// Which lines are legal is in grammar.test.ts; the reasons of others are in the corpus.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loggablePartsOf } from '../../src/http/request-line.ts';
import { CHARACTERS } from '../support/characters.ts';

const isDigit = (character: string) => '0123456789'.includes(character);
const isLetter = (character: string) => 'abcdefghijklmnopqrstuvwxyz'.includes(character.toLowerCase());

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
