import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostCheck } from '../../src/http/allowed-hosts.ts';

const isAllowed = hostCheck(['Example.com', 'my_service', '10.0.0.1', '0:0:0:0:0:0:0:1', '2001:db8::7f']);

for (const host of ['example.com', 'EXAMPLE.COM:8080', 'my_service:80', '10.0.0.1', '[::1]', '[::1]:8080', '[0::0:1]', '[2001:DB8:0::7F]:80']) {
  test(`Host ${host} is allowed when its name is`, () => assert.equal(isAllowed(host), true));
}

for (const host of [
  'localhost', 'www.example.com', 'example.com.', 'example.com.evil.example', 'my-service', '10.0.0.2', '10.1', '0xa.1', '012.0.0.1', '167772161', 'example%2ecom', '[::2]', '[::ffff:10.0.0.1]', '[2001:db8::7e]',
]) {
  test(`Host ${host} is not allowed`, () => assert.equal(isAllowed(host), false));
}

test('a request without a Host has no allowed one', () => {
  assert.equal(isAllowed(undefined), false);
});

test('where no name is allowed, nothing is answered', () => {
  for (const host of [undefined, 'a', '[::1]']) assert.equal(hostCheck([])(host), false);
});
