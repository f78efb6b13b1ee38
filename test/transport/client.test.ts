import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf } from '../../src/transport/client.ts';

for (const [address, client] of [
  [undefined, ''],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['2001:db8::ffff:192.0.2.1', '2001:db8:0:0'],
  ['::1', ':0:0:0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['2001::2:3:4:5:6:7', '2001:0:2:3'],
] as const) {
  test(`the client of ${address} is ${client}`, () => assert.equal(clientOf(address), client));
}
