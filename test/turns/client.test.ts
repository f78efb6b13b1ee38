// Who is one client, and one network: by address. Those without an address are one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf, networkOf, titleOf } from '../../src/turns/client.ts';

test('a client has an address of IPv4, or the first 64 bits of IPv6', () => {
  for (const [address, client] of [
    ['192.0.2.1', '192.0.2.1'], [undefined, ''],
    ['::ffff:192.0.2.1', '192.0.2.1'], ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:1:2', ':0:0:0'], // no address of IPv4
    ['2001:db8::ffff:192.0.2.1', '2001:db8:0:0'], ['::1', ':0:0:0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'], ['2001:db8:1:2::', '2001:db8:1:2'],
    ['2001::2:3:4:5:6:7', '2001:0:2:3'], ['2001:db8::3:4:5:6:7', '2001:db8:0:3'],
  ] as const) assert.equal(clientOf(address), client);
});

test('its network has 48 bits of IPv6; in the log, it is one of 64, and without an address it has no name', () => {
  for (const [client, name, title] of [
    ['', '', undefined], ['192.0.2.1', '192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2', '2001:db8:1', '2001:db8:1:2::/64'], [':0:0:0', ':0:0', '0:0:0:0::/64'],
  ] as const) assert.deepEqual([networkOf(client), titleOf(client)], [name, title]);
});
