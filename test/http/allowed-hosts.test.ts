import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostCheck } from '../../src/http/allowed-hosts.ts';

test('a Host is allowed when its name is: in any case, with any port, and an IPv6 address in any form', () => {
  const isAllowed = hostCheck(['Example.com', 'my_service', '10.0.0.1', '0:0:0:0:0:0:0:1']);
  for (const host of ['example.com', 'EXAMPLE.COM:8080', 'my_service:80', '10.0.0.1', '[::1]', '[0::0:1]:80']) {
    assert.equal(isAllowed(host), true, host);
  }
  for (const host of [
    undefined, 'localhost', 'www.example.com', 'example.com.', 'example.com.evil.example', 'my-service', '10.0.0.2', '10.1', '0xa.1',
    '012.0.0.1', '167772161', 'example%2ecom', '[::2]', '[::ffff:10.0.0.1]',
  ]) assert.equal(isAllowed(host), false, host);
  for (const host of [undefined, 'a', '[::1]']) assert.equal(hostCheck([])(host), false);
});
