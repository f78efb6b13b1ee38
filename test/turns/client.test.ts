// Who is one client: by address. Those without an address are one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf } from '../../src/turns/client.ts';

test('a client has an address of IPv4, or the first 48 bits of IPv6', () => {
  for (const [address, client] of [
    ['192.0.2.1', '192.0.2.1'], [undefined, ''],
    ['::ffff:192.0.2.1', '192.0.2.1'], ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:1:2', '0:0:0::/48'], // no address of IPv4
    ['2001:db8::ffff:192.0.2.1', '2001:db8:0::/48'], ['::1', '0:0:0::/48'], ['::', '0:0:0::/48'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'], ['2001:db8:1:2::', '2001:db8:1::/48'],
    ['2001::2:3:4:5:6:7', '2001:0:2::/48'], ['::2:3:4:5:6:7:8', '0:2:3::/48'], ['2001::', '2001:0:0::/48'],
  ] as const) assert.equal(clientOf(address), client);
});
