import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isHostOf, matcherOf, parseHost, parseTarget } from '../../src/http/target.ts';

test('a target has a path and a query as sent, and in absolute-form an authority; other forms are not taken', () => {
  for (const [target, path, query] of [
    ['/', '/', ''], ['/a?', '/a', ''], ['/a??b?', '/a', '?b?'], ['/?/b', '/', '/b'], ['//a', '//a', ''],
    ['/%61/../b', '/%61/../b', ''], ['/a#b?c', '/a#b', 'c'], ['/http://a/b', '/http://a/b', ''],
  ] as const) assert.deepEqual(parseTarget('GET', target), { path, query }, target);
  assert.deepEqual(parseTarget('OPTIONS', '*'), { path: '*', query: '' });
  for (const [target, isHttps, authority, path, query] of [
    ['http://a', false, 'a', '/', ''], ['https://a', true, 'a', '/', ''], ['HTTPS://A.B:80/', true, 'A.B:80', '/', ''],
    ['Http://a/b?c', false, 'a', '/b', 'c'], ['http://a?/b', false, 'a', '/', '/b'],
    ['http://a#/b', false, 'a', '/#/b', ''], ['http://a//b', false, 'a', '//b', ''], ['http://', false, '', '/', ''],
    ['http://b@[::1]:8/', false, 'b@[::1]:8', '/', ''], ['http:///a', false, '', '/a', ''],
  ] as const) assert.deepEqual(parseTarget('PUT', target), { path, query, authority, isHttps }, target);
  for (const target of ['', 'a', '?a', '*a', 'a:80', 'http:/a', 'http:a', 'ftp://a/', 'xhttp://a/', ' /']) {
    assert.equal(parseTarget('OPTIONS', target), undefined, target);
  }
  for (const method of ['GET', 'options', '']) assert.equal(parseTarget(method, '*'), undefined, method);
});

test('a legal host has a name, and may have a port; anything else is none', () => {
  for (const [text, name, port = undefined] of [
    ['A.Example', 'a.example'], ['a_b-c.9', 'a_b-c.9'], ['127.0.0.1', '127.0.0.1'], ['%0f%AF', '%0f%af'],
    ['a:0', 'a', 0], ['a:00080', 'a', 80], ['a:65535', 'a', 65_535],
    ['a.', 'a'], ['a.:1', 'a', 1], ['a.b', 'a.b'], ['a..', 'a..'], ['.', '.'],
    ['[::1]', '[::1]'], ['[0:0::0001]:80', '[::1]', 80], ['[::FFFF:10.0.0.1]', '[::ffff:a00:1]'],
    ['[1:2:3:4:5:6:7:8]', '[1:2:3:4:5:6:7:8]'],
  ] as const) assert.deepEqual(parseHost(text), { name, port }, text);
  for (const text of [
    '', ':80', 'a:', 'a:65536', 'a:99999', 'a:000080', 'a:-1', 'a:+1', 'a:8x', 'a: 80', 'a:80:80', // ports
    'a, b', 'user@a', 'a/', 'a b', ' a', 'a\n', '\na', '%', '%a', '%g0', '%0g', 'a%', // names
    '::1', '[]', '[::1', '::1]', '[::1]a', '[::1].', '[::1]:', '[a]', '[10.0.0.1]', '[v1.a]', '[::g]', // IPv6
    '[1:2:3:4:5:6:7]', '[1:2:3:4:5:6:7:8:9]', '[::12345]', '[::1.2.3]', '[::1.2.3.256]', '[fe80::1%25eth0]',
  ]) assert.equal(parseHost(text), undefined, text);
});

test('of all characters, a name may have those of RFC 3986, except a comma', () => {
  const legal = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&\'()*+;=';
  for (let code = 0; code < 384; code += 1) {
    const character = String.fromCharCode(code);
    assert.equal(parseHost(`x${character}y`) !== undefined, legal.includes(character), character);
  }
});

test('a target names the Host with the same name and port, or with the default port of its scheme', () => {
  // The authority of a target, the Host, and whether they are the same with http and with https.
  for (const [authority, host, withHttp = false, withHttps = false] of [
    [undefined, 'a', true, true], ['A', 'a', true, true], ['[::A]:81', '[::a]:81', true, true],
    ['[::1]', '[0::0:1]', true, true], ['a.', 'A', true, true], ['a', 'a.', true, true],
    ['a:80', 'a', true], ['a', 'a:80', true], ['a.:080', 'A.', true], ['[::1]:80', '[::1]', true],
    ['a:443', 'a', false, true], ['a', 'a:443', false, true], ['[::1]', '[::1]:443', false, true],
    ['b', 'a'], ['a.b', 'ab'], ['a:81', 'a'], ['a', 'a:8080'], ['a:80', 'a:443'], ['a:1', 'a:2'], ['[::1]', '[::2]'],
    ['a..', 'a'], ['a', 'a..'], ['.', 'a'], ['', 'a'], ['', '.'], [':80', 'a'], ['a:', 'a'], ['user@a', 'a'],
  ] as const) {
    const target = { path: '/', query: '', ...(authority !== undefined && { authority }) };
    const same = [isHostOf(target, host), isHostOf({ ...target, isHttps: true }, host)];
    assert.deepEqual(same, [withHttp, withHttps], `${authority} ${host}`);
  }
});

test('a host is allowed when its name is, in any form and with any port', () => {
  const isAllowed = matcherOf(['Example.com', 'my_service', 'svc.example.', '10.0.0.1', '0:0:0:0:0:0:0:1']);
  for (const host of [
    'example.com', 'EXAMPLE.COM:8080', 'example.com.', 'my_service:80', 'svc.example', 'SVC.example.:80', '10.0.0.1',
    '10.0.0.1.', '[::1]', '[0::0:1]:80',
  ]) assert.equal(isAllowed(host), true, host);
  for (const host of [
    undefined, '', 'a b', 'localhost', 'www.example.com', '.example.com', 'example.com..', 'example.com.evil.example',
    'my-service', '10.0.0.2', '10.1', '0xa.1', '012.0.0.1', '167772161', 'example%2ecom', '[::2]', '[::ffff:10.0.0.1]',
  ]) assert.equal(isAllowed(host), false, host);
  assert.equal(matcherOf([])('a'), false);
});
