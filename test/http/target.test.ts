// What a host may be is also in the contract, and the parts of a target are in head.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostNamesOf, isHostOf, parseHost } from '../../src/http/target.ts';

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
    const other = parseHost(host) ?? assert.fail();
    const same = [isHostOf(target, other), isHostOf({ ...target, isHttps: true }, other)];
    assert.deepEqual(same, [withHttp, withHttps], `${authority} ${host}`);
  }
});

test('hosts have the same name in any form and with any port', () => {
  const names = hostNamesOf(['Example.com', 'my_service', 'svc.example.', '10.0.0.1', '0:0:0:0:0:0:0:1']);
  for (const host of [
    'example.com', 'EXAMPLE.COM:8080', 'example.com.', 'my_service:80', 'svc.example', 'SVC.example.:80', '10.0.0.1',
    '10.0.0.1.', '[::1]', '[0::0:1]:80',
  ]) assert.equal(names.has(parseHost(host)?.name), true, host);
  for (const host of [
    '', 'a b', 'localhost', 'www.example.com', '.example.com', 'example.com..', 'example.com.evil.example',
    'my-service', '10.0.0.2', '10.1', '0xa.1', '012.0.0.1', '167772161', 'example%2ecom', '[::2]', '[::ffff:10.0.0.1]',
  ]) assert.equal(names.has(parseHost(host)?.name), false, host);
});
