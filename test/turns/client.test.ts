// Who is one client: by address. Those without an address are one. And whom a client wakes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Socket } from 'node:net';
import { Client, clientOf, nameOf } from '../../src/turns/client.ts';
import { Room } from '../../src/turns/room.ts';

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

test('in the log, a client of IPv6 is a network, and one on a Unix socket has no name', () => {
  const connection = new Room(1).add(new Socket());
  assert.equal(nameOf(connection), undefined);
  for (const [address, name] of [
    ['192.0.2.1', '192.0.2.1'], ['2001:db8::1', '2001:db8:0:0::/64'], ['::1', '0:0:0:0::/64'],
  ] as const) assert.equal(nameOf({ ...connection, named: { address, port: 1 } }), name);
});

test('of those that wait until they may begin a request, the first that still wants to is woken', (t) => {
  const client = new Client(2, () => {});
  const [unwilling, willing, last] = [t.mock.fn(() => false), t.mock.fn(() => true), t.mock.fn(() => true)];
  for (const retry of [unwilling, willing, last]) client.blocked.add({ retry });
  const [end] = [client.leaveBehind(), client.leaveBehind()];
  client.wake();
  assert.equal(client.blocked.size, 3, 'it is full');
  end?.();
  assert.deepEqual([unwilling, willing, last].map(({ mock }) => mock.callCount()), [1, 1, 0]);
  assert.equal(client.blocked.size, 1);
});
