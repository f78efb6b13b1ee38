import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../support/service.ts';
import { exchange } from '../support/wire.ts';

const allowedHosts = ['Example.com', 'my_service', '10.0.0.1', '0:0:0:0:0:0:0:1'];

async function replyTo(port: number, bytes: string) {
  const { replies, ended } = await exchange(port, bytes);
  assert.equal(replies.length, 1);
  assert.ok(ended);
  return replies[0] ?? assert.fail();
}

for (const host of ['example.com', 'EXAMPLE.COM:8080', 'my_service:80', '10.0.0.1', '[::1]', '[::1]:8080', '[0::0:1]']) {
  test(`Host ${host} is answered when its name is allowed`, async (t) => {
    const { port } = await startService(t, { allowedHosts });
    assert.equal((await replyTo(port, `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).status, 200);
  });
}

for (const host of ['localhost', 'www.example.com', 'example.com.', 'example.com.evil.example', '10.0.0.2', '[::2]', '[::ffff:10.0.0.1]']) {
  test(`Host ${host} gets 421, and the connection is closed`, async (t) => {
    const { port, refusals } = await startService(t, { allowedHosts });
    const reply = await replyTo(port, `GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    assert.deepEqual(reply, {
      statusLine: 'HTTP/1.1 421 Misdirected Request', status: 421, headers: ['Content-Length: 0', 'Date: now', 'Connection: close'], body: '',
    });
    assert.deepEqual(refusals, [421]);
  });
}

test('a request without a Host has no allowed one', async (t) => {
  const { port } = await startService(t, { allowedHosts });
  assert.equal((await replyTo(port, 'GET /health HTTP/1.0\r\n\r\n')).status, 421);
});

test('CONNECT is held to the same names', async (t) => {
  const { port } = await startService(t, { allowedHosts });
  assert.equal((await replyTo(port, 'CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n')).status, 421);
});
