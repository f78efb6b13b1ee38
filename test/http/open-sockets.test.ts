import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { trackSockets } from '../../src/http/open-sockets.ts';

test('a connection that sends nothing for the idle time is closed, one that sends is not', async (t) => {
  const server = createServer((_request, response) => response.end());
  server.keepAliveTimeout = 0; // node is not to close it
  const { close, cut } = trackSockets(server, 1_500);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(async () => {
    const closed = close();
    cut();
    await closed;
  });
  const { port }: Partial<AddressInfo> = { ...Object(server.address()) };
  assert.ok(port !== undefined);
  const [idle, busy] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  const request = () => busy.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  request();
  busy.on('data', () => setTimeout(request, 100));
  idle.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(idle.resume(), 'end');
  assert.equal(busy.readyState, 'open');
  busy.destroy();
});
