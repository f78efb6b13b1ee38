// What a host may be, and which target names it, is in the contract; the parts of a target are in head.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostNamesOf, parseHost } from '../../src/http/target.ts';

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
