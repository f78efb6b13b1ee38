import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostName, isHost, isHostOf, parseTarget, pathOfIllegalTarget, withoutPort } from '../../src/http/request-target.ts';

// Every byte, as the character of latin1 that node makes of it, and two characters that no byte can be.
const characters = [...Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)), '\u0100', '\u2028'];

const isDigit = (character: string) => '0123456789'.includes(character);
const isHexDigit = (character: string) => '0123456789abcdefABCDEF'.includes(character);
const isLetter = (character: string) => 'abcdefghijklmnopqrstuvwxyz'.includes(character.toLowerCase());

// RFC 3986 3.3: pchar and the slash, but for `%`; `?` begins the query.
const pathCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/";

test('each legal character of a path is one', () => {
  for (const character of pathCharacters) {
    const path = `/a${character}/b`;
    assert.deepEqual(parseTarget('GET', path), { path, query: '' });
    assert.deepEqual(parseTarget('GET', `${path}?a`), { path, query: 'a' });
  }
});

test('any other character makes a target illegal: alone, at the end of a path and in the middle of it', () => {
  for (const character of characters.filter((each) => each !== '?' && !pathCharacters.includes(each))) {
    for (const path of [`/${character}`, `/a${character}`, `/a${character}/b`, `/${character}/b`]) {
      for (const target of [path, `${path}?a`, `http://a${path}`]) {
        assert.equal(parseTarget('GET', target), undefined, JSON.stringify(target));
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

test('a percent sign in a path is followed by two hexadecimal digits, in a query by anything', () => {
  for (const path of ['/%00', '/%2f', '/%2F', '/a%41%42b', '/%25zz']) assert.deepEqual(parseTarget('GET', path), { path, query: '' });
  for (const path of ['/%', '/%2', '/%2z', '/%z2', '/%%41', '/%41%', '/%2/a', '/%2z/b']) {
    assert.equal(parseTarget('GET', path), undefined);
    assert.deepEqual(parseTarget('GET', `/?${path}`), { path: '/', query: path });
  }
});

test('the query begins after the first question mark', () => {
  assert.deepEqual(parseTarget('GET', '/a?'), { path: '/a', query: '' });
  assert.deepEqual(parseTarget('GET', '/a??b?'), { path: '/a', query: '?b?' });
  assert.deepEqual(parseTarget('GET', '/?/b'), { path: '/', query: '/b' });
});

for (const [target, authority, path, query] of [
  ['http://a/health', 'a', '/health', ''],
  ['http://a/health?b', 'a', '/health', 'b'],
  ['HTTPS://A.Example:80/', 'A.Example:80', '/', ''],
  ['http://a', 'a', '/', ''],
  ['http://a?/b', 'a', '/', '/b'],
  ['http://a?', 'a', '/', ''],
  ['http://a//b', 'a', '//b', ''],
  ['http://[::1]:80/b', '[::1]:80', '/b', ''],
  ['http://a/http://b/c', 'a', '/http://b/c', ''],
  // Whether an authority is legal is checked with the fields.
  ['http://user:secret@a/b', 'user:secret@a', '/b', ''],
  ['http://a#/b', 'a#', '/b', ''],
  ['http://a\\/b', 'a\\', '/b', ''],
  ['http:///b', '', '/b', ''],
  ['http://?b', '', '/', 'b'],
  ['http://', '', '/', ''],
] as const) {
  test(`${target} is ${path} with the query "${query}", of "${authority}"`, () => {
    const isHttps = target.startsWith('HTTPS');
    for (const method of ['GET', 'OPTIONS', 'PUT']) assert.deepEqual(parseTarget(method, target), { path, query, authority, isHttps });
  });
}

for (const target of [
  'http://a/health#b', 'http://a/health?b#c', 'http:/a/health', 'http:a/health', 'xhttp://a/health', 'ftp://a/health', '://a/health',
  'httpx://a/health', 'httpss://a/health', 'http://a/health%', 'http//a/b', 'htp://a/b', 'http:/', 'http', 'health', 'a:80', '',
  '\\health', ' /', '**', '?', '?/', '.',
]) {
  test(`"${target}" is illegal`, () => {
    for (const method of ['GET', 'OPTIONS', 'PUT']) assert.equal(parseTarget(method, target), undefined);
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
  for (const target of ['a', 'a:', ':80', 'a:65536', '[::1]', 'user@a:80', '/health', 'http://a:80', '*']) {
    assert.equal(parseTarget('CONNECT', target), undefined);
  }
});

for (const [target, path] of [
  ['/a#b', '/a'],
  ['/a?name=Ada#b', '/a'],
  ['/a#', '/a'],
  ['/a\\?', '/a\\'],
  ['/http://a/b#c', '/http://a/b'],
  ['http:///health', '/health'],
  ['/a\\b', '/a\\b'],
  ['/a\n?name=Ada\n', '/a\n'],
  ['/a#\nb', '/a'],
  ['http://user:secret@a/health', '/health'],
  ['HTTP://user:secret@a/health?name=Ada', '/health'],
  ['x-1+2.3://user:secret@a/health#b', '/health'],
  ['http://user:secret@a', ''],
  ['http://user:secret@a?name=Ada/b', ''],
  ['http://user:secret#@a/health', ''],
  ['user:secret@a', ''],
  ['user:secret@a/health', ''],
  ['1http://user:secret@a/health', ''],
  ['http:user:secret@a/health', ''],
  ['name=Ada', ''],
  ['*', ''],
  ['', ''],
] as const) {
  test(`of the illegal target ${JSON.stringify(target)} the log says ${JSON.stringify(path)}`, () => {
    assert.equal(pathOfIllegalTarget(target), path);
  });
}

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

for (const host of [
  'a', 'A.Example', 'my_service_1', '7', '127.0.0.1', 'a:0', 'a:80', 'a:00080', 'a:65535', "a-.~!$&'()*+;=", 'a%20b', '%C3%a9',
  '[::1]', '[::]', '[2001:db8::7f]', '[2001:DB8::7F]:8080', '[::ffff:10.0.0.1]', '[0:0:0:0:0:0:0:1]:0',
]) {
  test(`${host} is a legal Host`, () => {
    assert.equal(isHost(host), true);
  });
}

for (const host of [
  '', ':80', 'a:', 'a:x', 'a:-1', 'a:65536', 'a:000080', 'a:0x1f', 'a:1e3', 'a:0b1', 'a:80:80', 'user@a', 'user:pass@a', 'a/b', 'a?b',
  'a#b', 'a,b', 'a, b', 'a b', ' a', 'a ', 'a\tb', 'a\nb', 'a\n', 'a\\b', '%zz', 'a%2', '%', '"a"', '<a>', '{a}', 'a|b', 'a^b', 'a`b',
  'a\xe9', 'a\0', 'http://a', '::1', '1::1', '[', ']', '[]', '[1]', '[::g]', '[::1', '::1]', '1[::1]', 'a[::1]', '[::1]1', '[::1]x',
  '[::1]:', '[::1]:x', '[::1]:65536', '[::1]%', '[[::1]]', '[127.0.0.1]', '[fe80::1%25eth0]', '[fe80::1%eth0]', '[v1.a]', '[:::1]',
  '[::12345]',
]) {
  test(`${JSON.stringify(host)} is no legal Host`, () => {
    assert.equal(isHost(host), false);
  });
}

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

// Each authority of a target, the Host, and whether they are the same with http and with https.
for (const [authority, host, withHttp, withHttps] of [
  ['a', 'a', true, true], ['A.Example:8080', 'a.eXAMPLE:8080', true, true], ['[::A]:81', '[::a]:81', true, true],
  ['a:80', 'a', true, false], ['a', 'a:80', true, false], ['a:443', 'A', false, true], ['A', 'a:443', false, true],
  ['[::1]:80', '[::1]', true, false], ['[::1]', '[::1]:443', false, true],
  ...([
    ['b', 'a'], ['a:81', 'a'], ['a', 'a:81'], ['a:8080', 'a'], ['a', 'a:8080'], ['a:080', 'a'], ['a:80', 'a:080'], ['a:80', 'a:443'],
    ['a:8080:80', 'a:8080'], ['a:8443:443', 'a:8443'], ['user@a', 'a'], ['user@a:80', 'a'], ['a#', 'a'], ['a\\', 'a'], ['', 'a'], [':80', 'a'],
    ['a:', 'a'], ['[::1]', '[::0:1]'], ['::1', '[::1]'], ['a.', 'a'], ['a\n', 'a'], ['a,a', 'a'],
  ] as const).map(([authority, host]) => [authority, host, false, false] as const),
] as const) {
  test(`a target of ${JSON.stringify(authority)} names the Host ${host}: ${withHttp} with http, ${withHttps} with https`, () => {
    const target = { path: '/', query: '', authority };
    assert.deepEqual([false, true].map((isHttps) => isHostOf({ ...target, isHttps }, host)), [withHttp, withHttps]);
  });
}

test('a target without a host names no other one', () => {
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
