// Illegal targets and hosts are in the corpus, which request-reader.test.ts reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostName, isHost, isHostOf, parseTarget, pathOfIllegalTarget, withoutPort } from '../../src/http/request-target.ts';
import { CHARACTERS } from '../support/characters.ts';

const characters = [...CHARACTERS, '\u0100', '\u2028']; // no byte can be the last two

const isDigit = (character: string) => '0123456789'.includes(character);
const isHexDigit = (character: string) => '0123456789abcdefABCDEF'.includes(character);
const isLetter = (character: string) => 'abcdefghijklmnopqrstuvwxyz'.includes(character.toLowerCase());

// RFC 3986 3.3: pchar and the slash, but for `%`; `?` begins the query.
const pathCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/";

test('each legal character of a path is one, and any other makes a target illegal: alone, at the end and in the middle', () => {
  for (const character of characters.filter((each) => each !== '?')) {
    const isLegal = pathCharacters.includes(character);
    for (const path of [`/${character}`, `/a${character}`, `/a${character}/b`, `/${character}/b`]) {
      for (const [target, absolute] of [[path, {}], [`http://a${path}`, { authority: 'a', isHttps: false }]] as const) {
        for (const query of ['', 'a']) {
          const expected = isLegal ? { path, query, ...absolute } : undefined;
          assert.deepEqual(parseTarget('GET', query === '' ? target : `${target}?${query}`), expected, JSON.stringify(target));
        }
      }
    }
  }
});

test('visible ASCII is legal in a query except #, and nothing else is', () => {
  for (const character of characters) {
    const isLegal = /^[!-~]$/.test(character) && character !== '#';
    for (const query of [character, `a${character}`, `a${character}/b`]) {
      assert.deepEqual(parseTarget('GET', `/a?${query}`), isLegal ? { path: '/a', query } : undefined, JSON.stringify(query));
    }
  }
});

test('a percent sign in a path or in a Host is followed by two hexadecimal digits', () => {
  for (const [first, isFirstLegal] of characters.map((each) => [each, isHexDigit(each)] as const)) {
    for (const second of characters) {
      const isLegal = isFirstLegal && isHexDigit(second);
      const text = `a%${first}${second}`;
      if (isLegal !== isHost(text)) assert.fail(JSON.stringify(text));
      const isPath = first !== '?' && second !== '?';
      if (isPath && isLegal !== (parseTarget('GET', `/${text}`) !== undefined)) assert.fail(JSON.stringify(`/${text}`));
    }
  }
});

test('the query begins after the first question mark', () => {
  assert.deepEqual(parseTarget('GET', '/a?'), { path: '/a', query: '' });
  assert.deepEqual(parseTarget('GET', '/a??b?'), { path: '/a', query: '?b?' });
  assert.deepEqual(parseTarget('GET', '/?/b'), { path: '/', query: '/b' });
});

// Whether an authority is legal is checked with the fields.
for (const [target, authority, path, query] of [
  ['http://a/health?b', 'a', '/health', 'b'], ['HTTPS://A.Example:80/', 'A.Example:80', '/', ''], ['http://a', 'a', '/', ''],
  ['http://a?/b', 'a', '/', '/b'], ['http://a?', 'a', '/', ''], ['http://a//b', 'a', '//b', ''],
  ['http://[::1]:80/b', '[::1]:80', '/b', ''], ['http://a/http://b/c', 'a', '/http://b/c', ''],
  ['http://user:secret@a/b', 'user:secret@a', '/b', ''], ['http:///b', '', '/b', ''], ['http://?b', '', '/', 'b'], ['http://', '', '/', ''],
] as const) {
  test(`${target} is ${path} with the query "${query}", of "${authority}"`, () => {
    const isHttps = target.startsWith('HTTPS');
    for (const method of ['GET', 'OPTIONS', 'PUT']) assert.deepEqual(parseTarget(method, target), { path, query, authority, isHttps });
  });
}

test('a target in absolute-form has any characters up to its path', () => {
  for (const character of characters.filter((each) => !'/?\n\r\u2028'.includes(each))) {
    assert.deepEqual(parseTarget('GET', `http://${character}/b`), { path: '/b', query: '', authority: character, isHttps: false });
  }
});

test('an asterisk is the target of OPTIONS only', () => {
  assert.deepEqual(parseTarget('OPTIONS', '*'), { path: '*', query: '' });
  for (const [method, target] of [['GET', '*'], ['PUT', '*'], ['options', '*'], ['OPTIONS', '**'], ['OPTIONS', '*?a']] as const) {
    assert.equal(parseTarget(method, target), undefined);
  }
});

test('the target of CONNECT, and of no other method, is a host and a port', () => {
  for (const target of ['a:80', 'a.example:0', '127.0.0.1:65535', '[::1]:443']) {
    assert.deepEqual(parseTarget('CONNECT', target), { path: target, query: '' });
    assert.equal(parseTarget('GET', target), undefined);
  }
  for (const target of ['a', '[::1]', 'user@a:80', '/a:80']) assert.equal(parseTarget('CONNECT', target), undefined);
});

test('of an illegal target the log says the path, and never the query or user information', () => {
  for (const [target, path] of [
    ['/a#b', '/a'], ['/a?name=Ada#b', '/a'], ['/a\\?', '/a\\'], ['/http://a/b#c', '/http://a/b'], ['/a\n?name=Ada\n', '/a\n'],
    ['/a#\nb', '/a'], ['http:///health', '/health'], ['HTTP://user:secret@a/health?name=Ada', '/health'],
    ['x-1+2.3://user:secret@a/health#b', '/health'], ['http://user:secret@a', ''], ['http://user:secret@a?name=Ada/b', ''],
    ['http://user:secret#@a/health', ''], ['user:secret@a/health', ''], ['1http://user:secret@a/health', ''], ['http:user:secret@a/health', ''],
    ['name=Ada', ''], ['*', ''], ['', ''],
  ] as const) assert.equal(pathOfIllegalTarget(target), path, target);
});

test('of an illegal target with a scheme the log says the path, whatever the scheme is', () => {
  for (const character of characters) {
    const isInScheme = isLetter(character) || isDigit(character) || '+.-'.includes(character);
    const target = '://user:secret@a/b';
    if (character !== '/') {
      assert.equal(pathOfIllegalTarget(`${character}${target}`), isLetter(character) ? '/b' : '', JSON.stringify(character));
    }
    assert.equal(pathOfIllegalTarget(`a${character}${target}`), isInScheme ? '/b' : '', JSON.stringify(character));
  }
});

test('each legal character of a name is one, and no other: alone, and before, between and behind others', () => {
  for (const character of characters) {
    // RFC 3986 3.2.2: reg-name, but for `%` and the comma.
    const isLegal = isLetter(character) || isDigit(character) || "-._~!$&'()*+;=".includes(character);
    for (const host of [character, `${character}a`, `a${character}b`, `a${character}`]) {
      assert.equal(isHost(host), isLegal, JSON.stringify(host));
    }
    for (const address of [`[${character}::]`, `[::${character}]`, `[::${character}1]`]) {
      assert.equal(isHost(address), isHexDigit(character), JSON.stringify(address));
    }
  }
});

test('each port up to 65535 is legal, and none above it', () => {
  for (let port = 0; port <= 100_000; port += 1) {
    const isLegal = port <= 65_535;
    if (isHost(`a:${port}`) !== isLegal || isHost(`[::]:${port}`) !== isLegal) assert.fail(String(port));
  }
});

test('each character of a port is a digit', () => {
  for (const character of characters) {
    for (const port of [character, `${character}1`, `1${character}`, `1${character}234`, `123${character}5`]) {
      assert.equal(isHost(`a:${port}`), isDigit(character), JSON.stringify(port));
    }
  }
});

test('a target names the Host with the same name and port, or with the default port of its scheme', () => {
  // Each authority of a target, the Host, and whether they are the same with http and with https.
  for (const [authority, host, withHttp, withHttps] of [
    ['a', 'a', true, true], ['A.Example:8080', 'a.eXAMPLE:8080', true, true], ['[::A]:81', '[::a]:81', true, true],
    ['a:80', 'a', true, false], ['a', 'a:80', true, false], ['a:443', 'A', false, true], ['A', 'a:443', false, true],
    ['[::1]:80', '[::1]', true, false], ['[::1]', '[::1]:443', false, true],
    ...([
      ['b', 'a'], ['a:81', 'a'], ['a', 'a:81'], ['a:8080', 'a'], ['a', 'a:8080'], ['a:080', 'a'], ['a:80', 'a:080'], ['a:80', 'a:443'],
      ['a:8080:80', 'a:8080'], ['a:8443:443', 'a:8443'], ['user@a', 'a'], ['user@a:80', 'a'], ['a#', 'a'], ['a\\', 'a'], ['', 'a'],
      [':80', 'a'], ['a:', 'a'], ['[::1]', '[::0:1]'], ['::1', '[::1]'], ['a.', 'a'], ['a\n', 'a'], ['a,a', 'a'],
    ] as const).map(([authority, host]) => [authority, host, false, false] as const),
  ] as const) {
    const target = { path: '/', query: '', authority };
    assert.deepEqual([false, true].map((isHttps) => isHostOf({ ...target, isHttps }, host)), [withHttp, withHttps], `${authority} ${host}`);
  }
  for (const host of ['a', 'a:80', '[::1]:443']) assert.equal(isHostOf({ path: '/', query: '' }, host), true);
});

test('the port of a Host is left out', () => {
  for (const [host, name] of [
    ['a', 'a'], ['a1', 'a1'], ['A:80', 'A'], ['a:9', 'a'], ['a:80', 'a'], ['a:65535', 'a'], ['[::1]', '[::1]'], ['[::1]:80', '[::1]'],
    ['10.0.0.1:0', '10.0.0.1'],
  ] as const) assert.equal(withoutPort(host), name);
});

test('names of hosts are compared without port and case, IPv6 addresses in their short form, and everything else as it is', () => {
  for (const [host, name] of [
    ['a', 'a'], ['A.Example:80', 'a.example'], ['10.0.0.1:80', '10.0.0.1'], ['[::1]', '[::1]'],
    ['[0:0:0:0:0:0:0:1]:80', '[::1]'], ['[2001:DB8::0:7F]', '[2001:db8::7f]'], ['[::10.0.0.1]', '[::a00:1]'],
    ['127.1', '127.1'], ['0x7F.1', '0x7f.1'], ['0177.0.0.1', '0177.0.0.1'], ['2130706433', '2130706433'], ['127.0.0.1.', '127.0.0.1.'],
    ['a%2Fb', 'a%2fb'],
  ] as const) assert.equal(hostName(host), name);
});
