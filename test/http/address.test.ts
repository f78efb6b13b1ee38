import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainAddress } from '../../src/http/address.ts';

test('an address of IPv4 is written as such, also where it is mapped into IPv6', () => {
  for (const [address, plain = address] of [
    ['::ffff:192.0.2.1', '192.0.2.1'], ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['192.0.2.1'], ['::ffff:1:2'], ['2001:db8::ffff:192.0.2.1'], ['::1'], [undefined],
  ] as const) assert.equal(plainAddress(address), plain);
});
