// The characters of targets and hosts. Most illegal ones, and targets that are no path, are in the corpus.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostCheck, isHostOf, parseTarget } from '../../src/http/request-target.ts';

test('the query begins after the first question mark, and the authority is before the first slash or question mark', () => {
  for (const [target, path, query, authority] of [
    ['/a?', '/a', ''], ['/a??b?', '/a', '?b?'], ['/?/b', '/', '/b'], ['HTTPS://A.Example:80/', '/', '', 'A.Example:80'],
    ['http://a?/b', '/', '/b', 'a'], ['http://a//b', '//b', '', 'a'], ['http://[::1]:80/http://b/c', '/http://b/c', '', '[::1]:80'],
    ['http://user:secret@a/b', '/b', '', 'user:secret@a'], ['http://', '/', '', ''],
  ] as const) {
    assert.deepEqual(parseTarget('PUT', target), { path, query, authority, isHttps: target.startsWith('HTTPS') }, target);
  }
});

test('a target names the Host with the same name and port, or with the default port of its scheme', () => {
  // Each authority of a target, the Host, and whether they are the same with http and with https.
  for (const [authority, host, withHttp = false, withHttps = false] of [
    ['a', 'a', true, true], ['A.Example:8080', 'a.eXAMPLE:8080', true, true],
    ['[::A]:81', '[::a]:81', true, true], ['[::1]', '[::0:1]', true, true],
    ['a:80', 'a', true], ['A', 'a:80', true], ['a:443', 'A', false, true], ['a', 'a:443', false, true],
    ['[::1]:80', '[::1]', true], ['[::1]', '[::1]:443', false, true],
    ['b', 'a'], ['a:81', 'a'], ['a', 'a:8080'], ['a:080', 'a'], ['a:80', 'a:443'], ['a:8080:80', 'a:8080'], ['a:8443:443', 'a:8443'],
    ['user@a', 'a'], ['', 'a'], [':80', 'a'], ['a:', 'a'], ['::1', '[::1]'], ['a\n', 'a'],
    ['a.', 'A', true, true], ['a', 'a.', true, true], ['a.:80', 'a.', true], ['a.:81', 'a:81', true, true], ['a..', 'a'], ['a', 'a..'],
    ['', '.'], ['.', 'a'], ['a.b', 'ab'], ['[::1].', '[::1]'], ['a:80.', 'a'],
  ] as const) {
    const target = { path: '/', query: '', authority };
    assert.deepEqual([false, true].map((isHttps) => isHostOf({ ...target, isHttps }, host)), [withHttp, withHttps], `${authority} ${host}`);
  }
});

test('a Host is allowed when its name is: in any case, with any port, with a dot at its end, and an IPv6 address in any form', () => {
  const refuseHost = hostCheck(['Example.com', 'my_service', 'svc.example.', '10.0.0.1', '0:0:0:0:0:0:0:1']);
  for (const host of ['example.com', 'EXAMPLE.COM:8080', 'my_service:80', '10.0.0.1', '[::1]', '[0::0:1]:80', 'svc.example',
    'SVC.example.:80', 'example.com.', '10.0.0.1.']) {
    assert.equal(refuseHost(host), undefined, host);
  }
  for (const host of [
    undefined, 'localhost', 'www.example.com', 'example.com..', '.example.com', 'svc.example..', 'example.com.evil.example',
    'my-service', '10.0.0.2', '10.1', '0xa.1', '012.0.0.1', '167772161', 'example%2ecom', '[::2]', '[::ffff:10.0.0.1]',
  ]) assert.equal(refuseHost(host), 'hostNotAllowed', host);
  // The same name, and another one that is written nearly like it.
  for (const [name, same, other] of [
    ['A.Example', 'a.example.:65535', 'a.example..'], ['2001:DB8::0:7F', '[2001:db8::7f]', '[2001:db8::7e]'], ['.', '.:80', '..'],
    ['::10.0.0.1', '[::a00:1]:80', '10.0.0.1'], ['0x7F.1', '0x7f.1', '127.0.0.1'], ['a%2Fb', 'A%2fb', 'a/b'], ['a..', 'a..', 'a.'],
  ] as const) assert.deepEqual([same, other].map(hostCheck([name])), [undefined, 'hostNotAllowed'], name);
});
